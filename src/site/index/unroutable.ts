import type { Log } from '../../log.js';
import type { IndexEntry } from './index-entry.js';

/**
 * Warns of articles that get no page, by an example.
 *
 * @param siteUrl the address that pages stand below.
 */
export function warnOfUnroutable(unroutable: readonly IndexEntry[], siteUrl: string, log: Log): void {
  const [example] = unroutable;
  if (example === undefined) return;
  const { path, url } = example;
  log.warn(
    { articles: unroutable.length, path, url, site: siteUrl },
    'articles without a page: their URL is not one that this site serves, or another file has it',
  );
}
