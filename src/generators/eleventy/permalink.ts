import type { Question } from '../generator.js';
import { configFile, type Site } from './config.js';
import { type Literals, literalsOf, text } from './js-literals.js';
import { fileSlug } from './mapping.js';
import type { Post } from './posts.js';

/** The address of a new article, in the manner of the site's posts; asks where it cannot be read. */
export function permalinkPattern(
  site: Site,
  content: string,
  posts: readonly Post[],
  folderData: readonly (Literals & { readonly source: string; readonly path: string })[],
  questions: Question[],
): string {
  const rest = site.input === '' ? content : content.slice(site.input.length + 1);
  const folder = rest === '' ? '/' : `/${rest}/`;
  const usual = `${folder}:slug/`;
  const own = posts.flatMap((post) =>
    typeof post.data.permalink === 'string' ? [ownPattern(post, post.data.permalink, folder)] : [],
  );
  const agreed = own[0];
  if (own.length > posts.length / 2 && agreed !== undefined && own.every((pattern) => pattern === agreed))
    return agreed;
  const ruled = folderData.find(({ source }) => /\bpermalink\b/.test(source)) ?? globalRule(site);
  const rule =
    ruled && (text(ruled, 'permalink') ?? /\bpermalink['"]?\s*[:(,][^`\n]*`([^`]+)`/.exec(ruled.source)?.[1]);
  const pattern = rule === undefined ? undefined : patternOf(rule, folder);
  if (pattern !== undefined) return pattern;
  if (ruled !== undefined) {
    questions.push({
      flag: 'permalink',
      text: `${ruled.path} computes the addresses of posts. Which address does a new article get?`,
      fallback: usual,
    });
  } else if (own.length > posts.length / 2) {
    questions.push({
      flag: 'permalink',
      text: 'Each post has a permalink of its own. Which address does a new article get?',
      fallback: usual,
    });
  }
  return usual;
}

/** The permalink that the configuration gives to every page. */
function globalRule(site: Site): (Literals & { readonly source: string; readonly path: string }) | undefined {
  const [source, , value] = /\baddGlobalData\(\s*(['"])permalink\1\s*,([\s\S]*?)\);/.exec(site.source) ?? [];
  if (source === undefined) return undefined;
  const path = configFile(site.files) ?? 'the configuration';
  return { ...literalsOf(`{ permalink: ${value} }`), source, path };
}

/** The pattern of a permalink template; undefined where it uses anything that a pattern has no name for. */
function patternOf(template: string, folder: string): string | undefined {
  const part = (_: string, one = '', other = ''): string => {
    const code = (one || other)
      .trim()
      .replace(/^\(?data\./, '')
      .replace(/\s+/g, ' ');
    if (/^page\.filePathStem$/.test(code)) return `${folder}:slug`;
    if (/^(?:page\.)?fileSlug(?: ?\| ?(?:slugify|slug|url_encode))?$/.test(code)) return ':slug';
    if (/^title ?\| ?(?:slugify|slug)$/.test(code)) return ':slug';
    const date = /^(?:page\.)?date ?\| ?date: ?['"]([^'"]+)['"]$/.exec(code)?.[1];
    return date === undefined
      ? '\0'
      : date.replace(/%Y/g, ':year').replace(/%m/g, ':month').replace(/%d/g, ':day').replace(/%./g, '\0');
  };
  const pattern = `/${template.replace(/\{\{-?([^}]*?)-?\}\}|\$\{([^}]*)\}/g, part)}`
    .replace(/\/{2,}/g, '/')
    .replace(/\/index\.html$/, '/');
  return /[\0{}<>%#?\s]/.test(pattern) || !/:slug/.test(pattern) ? undefined : pattern;
}

function ownPattern({ path, data }: Post, permalink: string, folder: string): string | undefined {
  if (/\{\{/.test(permalink)) return patternOf(permalink, folder);
  const slug = fileSlug({ path, data });
  const at = permalink.lastIndexOf(slug);
  return slug === '' || at === -1
    ? undefined
    : patternOf(`${permalink.slice(0, at)}:slug${permalink.slice(at + slug.length)}`, folder);
}
