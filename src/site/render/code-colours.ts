import { createRequire } from 'node:module';
import { decodeHTML } from 'entities/decode';

/** What is used of highlight.js. It is required instead of imported: its types bring those of a browser into the whole program. */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

const require = createRequire(import.meta.url);

/**
 * A block of code as Markdown makes it: its language is known, and nobody has coloured it yet. The names of classes are as
 * short as people write them, since an expression tries each length.
 */
const BLOCK =
  /(<pre>\s*<code class="(?:[\w -]{0,60} )?lang(?:uage)?-([\w+#.-]{1,30})(?: [\w -]{0,60})?">)([^<]*)<\/code>/g;

/** The time of the grammars may grow with the square of a line, so that what no person wrote in lines is shown as it is. */
const LONGEST_LINE = 400;
const LONGEST = 10_000;
const LONGEST_IN_ALL = 50_000;

/**
 * Gives code in known languages its colours: each token gets a class, which the theme's `style.css` has a colour for.
 * Nothing is guessed: code without a language stays as it is.
 */
export function withCodeColours(html: string): string {
  if (!html.includes('<pre>')) return html;
  if (html.search(BLOCK) === -1) return html;
  // At the first page with code: the grammars of forty languages take time to load.
  const highlighter: Highlighter = require('highlight.js/lib/common');
  let left = LONGEST_IN_ALL;
  return html.replace(BLOCK, (block, start: string, language: string, code: string) => {
    const text = decodeHTML(code);
    const isTooLong =
      text.length > Math.min(LONGEST, left) || text.split('\n').some((line) => line.length > LONGEST_LINE);
    if (isTooLong || highlighter.getLanguage(language) === undefined) return block;
    left -= text.length;
    return `${start}${highlighter.highlight(text, { language, ignoreIllegals: true }).value}</code>`;
  });
}
