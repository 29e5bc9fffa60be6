import { isDeepStrictEqual } from 'node:util';
import { PressmarkError, quote } from '../errors.js';

/** The URL in an article's file that was answered to the service. */
export interface StoredUrl {
  readonly url: string;
  /** The path below the site's URL that the file pins besides; undefined where it pins none. */
  readonly address: string | undefined;
}

/** How a format reads a file for `withUrl`: all front matter with the stored URL apart, and the body. */
export interface UrlReader {
  readonly url: string | undefined;
  readonly rest: unknown;
}

/**
 * The text of a file with another URL at its key `url`; every other byte stays.
 *
 * @param read what the file holds; of the result, it must differ in the URL alone.
 * @throws PressmarkError ARTICLE_UNREADABLE where the URL is written in a way that cannot be replaced.
 */
export function withUrl(text: string, url: string, read: (text: string) => UrlReader): string {
  const before = read(text);
  if (before.url === undefined || before.url === url) return text;
  const value = before.url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // As YAML, TOML or JSON; the JSON-LD may have the same key and value, which what is read shows.
  const written = new RegExp(`(\\burl["']?\\s*[:=]\\s*["']?)${value}(?=["'\\s,}]|$)`, 'g');
  for (const { index, 0: found, 1: key = '' } of text.matchAll(written)) {
    const changed = `${text.slice(0, index)}${key}${url}${text.slice(index + found.length)}`;
    const after = read(changed);
    if (after.url === url && isDeepStrictEqual(after.rest, before.rest)) return changed;
  }
  throw new PressmarkError(
    'ARTICLE_UNREADABLE',
    `its url ${quote(before.url, 200)} cannot be replaced as it is written; write it as url: "…"`,
  );
}
