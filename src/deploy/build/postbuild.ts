import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { filesOfAddress } from '../../article/files-of-address.js';
import { attributeOf, type HtmlToken, htmlTokens } from '../../article/html-tokens.js';
import { PressmarkError } from '../../errors.js';
import { discard } from '../../fs/atomic-write.js';
import { commentsOf, headEnd, placesOf } from './page-text.js';

/** An article that the built site should display. */
export interface BuiltArticle {
  /** Its file, below the content folder. */
  readonly path: string;
  /** Its absolute public URL. */
  readonly url: string;
  /** The script blocks for the page's head, verbatim; empty where there are none. */
  readonly jsonLd: string;
  /** The item comments of its HTML. */
  readonly comments: readonly string[];
  /** Why the generator makes no page of it now. */
  readonly hidden: 'draft' | 'future' | undefined;
}

/** An article of which something is missing in the built site. */
export interface MissingPage {
  readonly file: string;
  readonly url: string;
  readonly reason: string;
}

/** What was found in the built site, and done. */
export interface PostbuildReport {
  /** The number of articles whose pages were looked at. */
  readonly checked: number;
  /** The number of pages that were written. */
  readonly changed: number;
  readonly missing: readonly MissingPage[];
  /** Articles of which the generator makes no page now. */
  readonly skipped: readonly MissingPage[];
  readonly warnings: readonly string[];
}

/** What became of one page. */
export interface CompletedPage {
  readonly html: string;
  /** What could not be put into the page, and why; empty where all is there. */
  readonly problems: readonly string[];
  /** The `@type` of each article in JSON-LD that is not the service's. */
  readonly foreign: readonly string[];
}

/**
 * Around what this step puts into a head, so that the next one can take it out again: a generator need not write a page
 * anew whose article has not changed. The number is the length of what stands between the two, in bytes.
 */
const OPENING = /^<!-- pressmark:json-ld ([0-9]{1,9}) -->$/;
const ARTICLE_TYPES = new Set<unknown>(['Article', 'BlogPosting', 'NewsArticle', 'TechArticle', 'Report']);
const CLOSING = '<!-- /pressmark:json-ld -->';

/** What is checked and completed. */
export interface PostbuildOptions {
  /** The site's address, without a trailing slash. */
  readonly siteUrl: string;
  /** The output folder, absolute. */
  readonly output: string;
  readonly articles: Iterable<BuiltArticle>;
  /** Writes nothing; `changed` counts the pages that would be written. @default false */
  readonly readOnly?: boolean;
  /** How long all of it may take, in milliseconds. @default as long as it takes */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The articles that are looked at before it is seen whether all this is still wanted. */
const ARTICLES_PER_TURN = 20;

/**
 * Checks the pages of a built site and completes them: the JSON-LD of each article stands in its page's head, and its item
 * comments stand in the page. Pages are written only where they differ.
 *
 * @throws the system's errors where a page cannot be read or written; PressmarkError BUILD_FAILED where the time is up; the
 *   signal's reason.
 */
export async function postbuild(options: PostbuildOptions): Promise<PostbuildReport> {
  const { siteUrl, output, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const end = performance.now() + timeoutMs;
  const root = realPath(output);
  const missing: MissingPage[] = [];
  const skipped: MissingPage[] = [];
  const warnings: string[] = [];
  const foreign = new Map<string, string[]>();
  let checked = 0;
  let changed = 0;
  let index = 0;
  for (const { path: file, url, jsonLd, comments, hidden } of options.articles) {
    if (index++ % ARTICLES_PER_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (performance.now() > end)
      throw new PressmarkError(
        'BUILD_FAILED',
        `completing the pages was ended after ${timeoutMs / 1_000} s, the time limit of a build; it was at the page of ${file}`,
      );
    if (hidden !== undefined) {
      skipped.push({ file, url, reason: hidden });
      continue;
    }
    checked++;
    const address = addressIn(siteUrl, url);
    if (address === undefined) {
      missing.push({ file, url, reason: `the URL is not below ${siteUrl}` });
      continue;
    }
    const found = root === undefined ? undefined : findPage(root, address);
    if (found === undefined || found.kind === 'none') {
      missing.push({ file, url, reason: 'the built site has no page at this URL' });
      continue;
    }
    if (found.kind === 'outside') {
      missing.push({ file, url, reason: `${found.name} is a symbolic link out of the output folder` });
      continue;
    }
    // Byte for byte: each byte is one character, whatever the page's encoding.
    const before = fs.readFileSync(found.path, 'latin1');
    const page = completePage(before, bytesOf(jsonLd), comments.map(bytesOf));
    for (const reason of page.problems) missing.push({ file, url, reason });
    for (const type of page.foreign) {
      const names = foreign.get(type);
      if (names === undefined) foreign.set(type, [found.name]);
      else names.push(found.name);
    }
    if (page.html === before) continue;
    changed++;
    if (options.readOnly) continue;
    replacePage(found.path, page.html);
    for (const suffix of ['.gz', '.br'])
      if (fs.existsSync(`${found.path}${suffix}`))
        warnings.push(
          `${found.name}${suffix}: was made before the page was completed; compress the pages after pressmark postbuild`,
        );
  }
  return { checked, changed, missing, skipped, warnings: [...foreignSentences(foreign), ...warnings] };
}

/**
 * The page of an article with the JSON-LD before the end of its head and the item comments at the end of the article;
 * what is there already is not added again. The same page gives the same result, and so does the result.
 *
 * @param html one character for each byte.
 * @param jsonLd likewise; verbatim.
 */
export function completePage(html: string, jsonLd: string, comments: readonly string[]): CompletedPage {
  let page = withoutOwnBlock(html);
  const problems: string[] = [];
  let tokens = htmlTokens(page);

  if (jsonLd !== '' && !hasMarkup(page, tokens, jsonLd)) {
    const end = headEnd(tokens);
    if (end === undefined)
      problems.push(
        'the page has no </head>; the JSON-LD could not be inserted. Use a layout that prints a whole page',
      );
    else {
      page = insert(page, end, `<!-- pressmark:json-ld ${jsonLd.length} -->${jsonLd}${CLOSING}`);
      tokens = htmlTokens(page);
    }
  }
  const there = commentsOf(page, tokens);
  const lost = comments.filter((comment) => !there.has(comment));
  if (lost.length > 0) {
    const completed = insert(page, articleEnd(page, tokens), lost.join(''));
    const completedTokens = htmlTokens(completed);
    const thereNow = commentsOf(completed, completedTokens);
    if (lost.every((comment) => thereNow.has(comment))) {
      page = completed;
      tokens = completedTokens;
    } else problems.push('the item comment could not be inserted: the page ends within a tag or a comment');
  }
  return { html: page, problems, foreign: foreignArticles(page, tokens, jsonLd) };
}

/** The page without what earlier runs put into its head. */
function withoutOwnBlock(html: string): string {
  if (!html.includes('<!-- pressmark:json-ld ')) return html;
  const tokens = htmlTokens(html);
  const end = headEnd(tokens) ?? html.length;
  let kept = '';
  let at = 0;
  for (const token of tokens) {
    if (token.start >= end) break;
    if (token.start < at || token.kind !== 'comment') continue;
    const length = OPENING.exec(html.slice(token.start, token.end))?.[1];
    if (length === undefined) continue;
    const close = token.end + Number(length);
    if (!html.startsWith(CLOSING, close)) continue;
    kept += html.slice(at, token.start);
    at = close + CLOSING.length;
  }
  return kept + html.slice(at);
}

/** Whether a text stands in the page as markup, and not within a comment, a script or an attribute. */
function hasMarkup(html: string, tokens: readonly HtmlToken[], text: string): boolean {
  const starts = new Set(tokens.map(({ start }) => start));
  const lead = text.length - text.trimStart().length;
  for (const at of placesOf(html, text)) if (starts.has(at + lead)) return true;
  return false;
}

/** Where the article's text ends: in its `article` element, else in `main`, else in `body`, else in the page. */
function articleEnd(html: string, tokens: readonly HtmlToken[]): number {
  const articles = articleElements(tokens);
  const headings = tokens.filter((token) => token.kind === 'open' && token.name === 'h1');
  let next = 0; // both are in the page's order
  const withHeading = articles.filter(({ start, end }) => {
    while ((headings[next]?.start ?? end) < start) next++;
    return (headings[next]?.start ?? end) < end;
  });
  // Teasers of other posts are articles too; the one that the page is about has the heading, or the most text.
  const among = withHeading.length > 0 ? withHeading : articles;
  const [longest] = among.toSorted((a, b) => b.end - b.start - (a.end - a.start));
  if (longest !== undefined) return longest.end;
  for (const name of ['main', 'body', 'html']) {
    const close = tokens.findLast((token) => token.kind === 'close' && token.name === name);
    if (close !== undefined) return close.start;
  }
  return html.length;
}

/** The outermost `article` elements: between their opening and closing tags. */
function articleElements(tokens: readonly HtmlToken[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let depth = 0;
  let start = 0;
  for (const token of tokens) {
    if (token.kind === 'comment' || token.name !== 'article') continue;
    if (token.kind === 'open') {
      if (depth === 0) start = token.end;
      depth++;
    } else if (depth > 0 && --depth === 0) found.push({ start, end: token.start });
  }
  return found;
}

/** The types of the articles in JSON-LD blocks of the page that are not among those of the service. */
function foreignArticles(html: string, tokens: readonly HtmlToken[], jsonLd: string): string[] {
  const own = new Set(jsonLdTexts(jsonLd, htmlTokens(jsonLd)));
  if (own.size === 0) return []; // a theme's own block is what such an article needs
  return jsonLdTexts(html, tokens)
    .filter((text) => !own.has(text))
    .flatMap(articleTypes);
}

/** The types of the articles that a JSON-LD block describes, directly or in its `@graph`. */
function articleTypes(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
  } catch {
    return []; // search engines cannot read it either
  }
  const graph = (part: unknown): unknown[] =>
    typeof part === 'object' && part !== null && '@graph' in part ? [part['@graph']].flat() : [];
  const parts = [value].flat().flatMap((part) => [part, ...graph(part)]);
  return parts.flatMap((part) => {
    if (typeof part !== 'object' || part === null || !('@type' in part)) return [];
    const type = [part['@type']].flat().find((name) => ARTICLE_TYPES.has(name));
    return typeof type === 'string' ? [type] : [];
  });
}

function jsonLdTexts(html: string, tokens: readonly HtmlToken[]): string[] {
  return tokens.flatMap((token) => {
    if (token.kind !== 'open' || token.name !== 'script') return [];
    const type = attributeOf(html.slice(token.start, token.contentStart), 'type');
    return type?.trim().toLowerCase() === 'application/ld+json'
      ? [html.slice(token.contentStart, token.contentEnd)]
      : [];
  });
}

function insert(html: string, at: number, text: string): string {
  return html.slice(0, at) + text + html.slice(at);
}

/** The address that a URL has below the site's; as it is written. */
function addressIn(siteUrl: string, url: string): string | undefined {
  if (url.startsWith(`${siteUrl}/`)) return url.slice(siteUrl.length);
  return url === siteUrl ? '/' : undefined;
}

type FoundPage =
  | { readonly kind: 'page'; readonly name: string; readonly path: string }
  | { readonly kind: 'outside'; readonly name: string }
  | { readonly kind: 'none' };

/** One sentence for each type, as a theme that prints such a block prints it on each page. */
function foreignSentences(foreign: ReadonlyMap<string, readonly string[]>): string[] {
  return [...foreign].map(([type, names]) => {
    const [first = '', ...others] = names;
    const where = others.length === 0 ? `${first} has` : `${names.length} pages, such as ${first}, have`;
    return `${where} a second ${type} in JSON-LD, which is not from the service; a theme or a plugin for search engines prints it. Turn it off for the articles that Pressmark stores`;
  });
}

/** The file that shows an address. */
function findPage(root: string, address: string): FoundPage {
  for (const name of filesOfAddress(address)) {
    const path = realPath(join(root, name));
    if (path === undefined || !fs.statSync(path).isFile()) continue;
    return path.startsWith(root + sep) ? { kind: 'page', name, path } : { kind: 'outside', name };
  }
  return { kind: 'none' };
}

function realPath(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined; // it is not there
  }
}

/** Replaces a page as a whole. It is not synced: after a power loss the site is built again. */
function replacePage(path: string, html: string): void {
  const temp = join(dirname(path), `.pressmark-${randomBytes(6).toString('hex')}.tmp`);
  const { mode } = fs.statSync(path);
  try {
    fs.writeFileSync(temp, html, { encoding: 'latin1', flag: 'wx' });
    fs.chmodSync(temp, mode & 0o7777);
    fs.renameSync(temp, path);
  } catch (error) {
    discard(temp);
    throw error;
  }
}

function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
