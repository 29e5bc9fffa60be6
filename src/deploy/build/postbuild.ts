import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleState } from '../../article/publication.js';
import { type HtmlToken, htmlTokens } from '../../article/text/html-tokens.js';
import { PressmarkError } from '../../errors.js';
import { replaceFile } from '../folder-files.js';
import { bodyEnd, commentsOf, headEnd, insert, placesOf } from './page-text.js';
import { addressBelow, pageAt } from './pages.js';

/** An article that the built site should show. */
export interface BuiltArticle {
  /** Its file, below the content folder. */
  readonly path: string;
  /** Its absolute public URL. */
  readonly url: string;
  /** The script blocks for the page's head, verbatim; empty if there are none. */
  readonly jsonLd: string;
  /** The item comments of its HTML. */
  readonly comments: readonly string[];
  /** The state; an article that is not live needs no page. */
  readonly state: ArticleState;
}

/** An article with a missing or incomplete page. */
export interface MissingPage {
  readonly file: string;
  readonly url: string;
  readonly reason: string;
}

/** The report about the built site. */
export interface PostbuildReport {
  /** The number of articles whose pages were checked. */
  readonly checked: number;
  /** The number of pages that were written. */
  readonly changed: number;
  readonly missing: readonly MissingPage[];
  /** Articles that are not live and have no page. */
  readonly skipped: readonly MissingPage[];
  readonly warnings: readonly string[];
}

/** The result for one page. */
export interface CompletedPage {
  readonly html: string;
  /** The problems of the page; empty if it is complete. */
  readonly problems: readonly string[];
}

/** Options of `postbuild`. */
export interface PostbuildOptions {
  /** The site's address, without a trailing slash. */
  readonly siteUrl: string;
  /** The output folder, absolute. */
  readonly output: string;
  readonly articles: Iterable<BuiltArticle>;
  /**
   * Runs the plugins' filters on the page of an article.
   *
   * @param file the article's file, below the content folder.
   */
  readonly filtered?: ((html: string, file: string) => Promise<string>) | undefined;
  /** Writes nothing; `changed` counts the pages that would be written. @default false */
  readonly readOnly?: boolean;
  /** The time limit for everything, in milliseconds. @default none */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Marks the end of a page that plugins have changed. The generator may not write the page again, and nothing is added twice.
 */
const FILTERED = '<!-- pressmark:page -->';

/** The byte order mark of a page whose encoding does not extend ASCII. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff)/;

/** The number of articles between checks of the time limit and the signal. */
const ARTICLES_PER_TURN = 20;

/**
 * Checks the pages of a built site and completes them: each article's JSON-LD must be in the head of its page, and its item
 * comments must be in the page. Only changed pages are written.
 *
 * @throws the system's errors if a page cannot be read or written; PressmarkError BUILD_FAILED at the time limit; the signal's
 *   reason.
 */
export async function postbuild(options: PostbuildOptions): Promise<PostbuildReport> {
  const { siteUrl, output, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
  const end = performance.now() + timeoutMs;
  const missing: MissingPage[] = [];
  const skipped: MissingPage[] = [];
  const warnings: string[] = [];
  let checked = 0;
  let changed = 0;
  let index = 0;
  for (const article of options.articles) {
    const { path: file, url, state } = article;
    if (index++ % ARTICLES_PER_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (performance.now() > end)
      throw new PressmarkError(
        'BUILD_FAILED',
        `completing the pages took longer than ${timeoutMs / 1_000} s, the time limit of a build; it had come to the page of ${file}`,
      );
    const found = pageOf(article, siteUrl, output);
    if (state !== 'live' && found.kind === 'none') {
      skipped.push({ file, url, reason: state });
      continue;
    }
    checked++;
    if (found.kind === 'none') {
      missing.push({ file, url, reason: found.reason });
      continue;
    }
    // Each byte is one character, whatever the page's encoding.
    const before = fs.readFileSync(found.path, 'latin1');
    const complete = (html: string) =>
      completePage(html, bytesOf(article.jsonLd), article.comments.map(bytesOf));
    const page = complete(before);
    for (const reason of page.problems) missing.push({ file, url, reason });
    let { html } = page;
    if (options.filtered !== undefined && !before.includes(FILTERED)) {
      try {
        const filtered = complete(bytesOf(await options.filtered(textOf(html), file)));
        const isComplete = filtered.problems.length === 0 || page.problems.length > 0;
        if (!isComplete)
          warnings.push(
            `${url}: plugins removed the end of the page’s head or body; the page stays as the generator made it`,
          );
        else if (filtered.html !== html) {
          html = insert(filtered.html, bodyEnd(filtered.html, htmlTokens(filtered.html)), FILTERED);
        }
      } catch (error) {
        if (!(error instanceof PressmarkError)) throw error;
        warnings.push(`${url}: ${error.message}; the page stays as the generator made it`);
      }
    }
    if (html === before) continue;
    changed++;
    if (options.readOnly) continue;
    replaceFile(found.path, Buffer.from(html, 'latin1'), fs.statSync(found.path).mode & 0o7777);
  }
  return { checked, changed, missing, skipped, warnings };
}

/** The file that shows an article, or the reason why there is none. */
function pageOf({ url }: BuiltArticle, siteUrl: string, output: string) {
  const address = addressBelow(siteUrl, url);
  if (address === undefined) return { kind: 'none', reason: `the URL is not below ${siteUrl}` } as const;
  const found = pageAt(output, address);
  if (found.kind === 'page') return found;
  const reason =
    found.kind === 'outside'
      ? `${found.name} is a symbolic link out of the output folder`
      : 'the built site has no page at this URL';
  return { kind: 'none', reason } as const;
}

/**
 * Adds the JSON-LD before the end of a page's head and the item comments before the end of its body, unless they are there
 * already. It is idempotent.
 *
 * @param html the page, one character for each byte.
 * @param jsonLd verbatim, one character for each byte.
 */
export function completePage(html: string, jsonLd: string, comments: readonly string[]): CompletedPage {
  if (UTF_16.test(html))
    return { html, problems: ['the page is in UTF-16; have the generator write it in UTF-8'] };
  let page = html;
  const problems: string[] = [];
  let tokens = htmlTokens(page);

  if (jsonLd !== '' && !hasMarkup(page, tokens, jsonLd)) {
    const end = headEnd(tokens);
    if (end === undefined)
      problems.push(
        'the page has no </head>; the JSON-LD could not be inserted. Use a layout that prints a whole page',
      );
    else {
      page = insert(page, end, jsonLd);
      tokens = htmlTokens(page);
    }
  }
  const there = commentsOf(page, tokens);
  const lost = comments.filter((comment) => !there.has(comment));
  if (lost.length > 0) {
    const completed = insert(page, bodyEnd(page, tokens), lost.join(''));
    const completedTokens = htmlTokens(completed);
    const thereNow = commentsOf(completed, completedTokens);
    if (lost.every((comment) => thereNow.has(comment))) {
      page = completed;
      tokens = completedTokens;
    } else problems.push('the item comment could not be inserted: the page ends within a tag or a comment');
  }
  return { html: page, problems };
}

/** Whether a text is in the page as markup, and not within a comment, a script or an attribute. */
function hasMarkup(html: string, tokens: readonly HtmlToken[], text: string): boolean {
  const starts = new Set(tokens.map(({ start }) => start));
  const lead = text.length - text.trimStart().length;
  for (const at of placesOf(html, text)) if (starts.has(at + lead)) return true;
  return false;
}

/** A text as one character for each byte. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The reverse of `bytesOf`. @throws PressmarkError FILTER_FAILED if the bytes are not UTF-8. */
function textOf(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch (cause) {
    throw new PressmarkError('FILTER_FAILED', 'the page is not in UTF-8, so that plugins cannot change it', {
      cause,
    });
  }
}
