import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import { fetchText, type TextAnswer } from '../fetch-text.js';
import { type ExpectedPage, problemOf } from './page-problem.js';

export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** How long a look at a fetched page may take, in milliseconds. @default 10000 */
  readonly lookMs?: number;
}

const REQUEST = {
  method: 'GET',
  headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
  maxBytes: 5_000_000,
  timeoutMs: 20_000,
} as const;

const LOOK_MS = 10_000;

/** Longer texts, in characters, are looked at in a thread, as deliveries are answered in this one. */
const LONGEST_HERE = 32_768;

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
    return await problemFound(page, await fetchText(url, REQUEST, signal), options, signal);
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/** What a page lacks; see `problemOf`. */
async function problemFound(
  page: ExpectedPage,
  answer: TextAnswer,
  { lookMs: timeoutMs = LOOK_MS }: LiveCheckOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lengths = [answer.text, page.jsonLd, ...page.comments].map(({ length }) => length);
  if (lengths.reduce((sum, length) => sum + length) <= LONGEST_HERE) return problemOf(page, answer);
  return await problemInThread(page, answer, timeoutMs, signal);
}

/** The same in a thread. When the time is up it is ended: nothing else stops code in the middle of its work. */
async function problemInThread(
  page: ExpectedPage,
  answer: TextAnswer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = new URL('./look-thread.js', import.meta.url);
  const worker = new Worker(url, { workerData: { page, answer }, execArgv: [] });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const [problem] = await once(worker, 'message', { signal: AbortSignal.any([timeout, signal]) });
    return problem as string | undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return `the page could not be read within ${timeoutMs / 1_000} s`;
    throw error;
  } finally {
    await worker.terminate();
  }
}
