import type { SiteFiles } from '../generator.js';
import { textsIn } from './site-files.js';

// JavaScript is read by patterns here, because no generator can be asked by which tags the pages of a site select posts: an
// article's tag must not enter a selection such as `nav`. Elsewhere for two reasons: nobody can be asked (what Astro's components
// do with a picture, what compiles Markdown in a site's own code), or an answer would come too late or fail where the words are
// plain (engines of Eleventy, truncation of Docusaurus, the layout of SvelteKit).

/** Files of code, and templates that contain some. */
const CODE = /\.(?:[cm]?[jt]sx?|astro|svelte|vue|ejs|njk|pug|swig)$/;

/** A call whose callback decides which posts are taken. */
const SELECTION = /(?:\.(?:filter|find)|\bgetCollection)\(/g;

/** What a callback asks about a post's tags, in each of the keys that sites have for them: `tags.includes('nav')`, `tags.some((tag) => tag.name === 'nav')`. */
const ASKED =
  /\b(?:tags|keywords|topics|labels)\b[^;]{0,80}?\.(?:(?:includes|indexOf)\(|some\([^;]{0,80}?[^!=]={2,3}|find(?:One)?\(\s*\{)([^)\]}]{1,200})/g;

/** Queries by tags: `.where('tags', 'LIKE', '%nav%')` of Nuxt Content, `tags: { in: ["nav"] }` of Gatsby, `site.tags.findOne({ name: 'nav' })` of Hexo. */
const QUERY =
  /(?:\.where\(\s*["'`](?:tags|keywords|topics|labels)["'`]\s*,\s*["'`][^"'`]*["'`]\s*,|\b(?:tags|keywords|topics|labels)\s*:\s*\{\s*(?:n?in|eq|ne)\s*:|(?:\bsite\.tags|["']tags["']\))\.find(?:One)?\(\s*\{)([^)\]}]{1,200})/g;

/**
 * The tags that code names where it selects posts, each once. A name in a variable is not found.
 *
 * @param isCode by the name of a file.
 */
export function tagsInCode(files: SiteFiles, paths: readonly string[], isCode = CODE): string[] {
  const code = paths.filter((path) => isCode.test(path));
  const asked = textsIn(files, code).flatMap((text) => [
    ...Array.from(text.matchAll(SELECTION), ({ 0: { length }, index }) =>
      Array.from(argumentsAt(text, index + length).matchAll(ASKED), ([, names = '']) => names),
    ).flat(),
    ...Array.from(text.matchAll(QUERY), ([, names = '']) => names),
  ]);
  const names = asked.flatMap((words) =>
    Array.from(words.matchAll(/(["'`])(.+?)\1/g), ([, , name = '']) => name.replace(/^[%"]+|[%"]+$/g, '')),
  );
  return [...new Set(names)].filter((name) => name !== '' && !/\$\{/.test(name));
}

const LONGEST_CALL = 2_000;

/** The arguments of a call whose opening parenthesis is just before `start`. */
function argumentsAt(text: string, start: number): string {
  let open = 1;
  for (let at = start; at < Math.min(text.length, start + LONGEST_CALL); at++) {
    if (text[at] === '(') open++;
    if (text[at] === ')' && --open === 0) return text.slice(start, at);
  }
  return '';
}
