import { messageOf } from '../../errors.js';
import { fetchText, type TextAnswer } from '../fetch-text.js';
import type { ExpectedPage } from './page-problem.js';

export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** `problemOf`, in another thread: a page may be as long as its author likes, and deliveries are answered in this one. */
  readonly pageProblem: (page: ExpectedPage, answer: TextAnswer) => Promise<string | undefined>;
}

const REQUEST = {
  method: 'GET',
  headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
  maxBytes: 5_000_000,
  timeoutMs: 20_000,
} as const;

/**
 * Fetches an article's page from the public site, once.
 *
 * @returns what was found instead of the page that is expected; undefined where the article is live.
 * @throws the signal's reason.
 */
export async function checkLive(
  page: ExpectedPage,
  options: LiveCheckOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = new URL(page.url);
  if (url.origin !== new URL(options.siteUrl).origin)
    return `its URL leads to ${url.origin}, which is not the site`;
  try {
    return await options.pageProblem(page, await fetchText(url, REQUEST, signal));
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
