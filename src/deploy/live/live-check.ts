import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { fetchText, type TextAnswer } from '../fetch-text.js';
import { inThread } from '../in-thread.js';
import { type ExpectedPage, problemOf } from './page-problem.js';
import type { PageThreadData } from './page-thread.js';

export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** The pauses between the attempts, in milliseconds; the check is given up after the last one. */
  readonly pausesMs?: readonly number[];
  /** How long a look at a fetched page may take, in milliseconds. @default 10000 */
  readonly lookMs?: number;
}

/** Whether an article is live, or what is there instead. */
export type LiveResult = { readonly kind: 'live' } | { readonly kind: 'not-live'; readonly found: string };

/** About five minutes: hosts and their caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

const REQUEST = {
  method: 'GET',
  headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
  maxBytes: 5_000_000,
  timeoutMs: 20_000,
} as const;

const LOOK_MS = 10_000;

/** Longer texts, in characters, are looked at in a thread, as deliveries are answered in this one. */
const LONGEST_HERE = 32_768;

/** Fetches an article's page until it is as expected. @returns what was found at last where it never was. */
export async function awaitLive(
  page: ExpectedPage,
  options: LiveCheckOptions,
  signal: AbortSignal,
): Promise<LiveResult> {
  const url = new URL(page.url);
  const { origin } = new URL(options.siteUrl);
  if (url.origin !== origin)
    return { kind: 'not-live', found: `its URL leads to ${url.origin}, which is not the site` };
  let found = '';
  for (const ms of options.pausesMs ?? PAUSES_MS) {
    await setTimeout(ms, undefined, { signal });
    try {
      const problem = await problemFound(page, await fetchText(url, REQUEST, signal), options, signal);
      if (problem === undefined) return { kind: 'live' };
      found = problem;
    } catch (error) {
      signal.throwIfAborted();
      found = messageOf(error);
    }
  }
  return { kind: 'not-live', found };
}

/** What a page lacks, as `problemOf` finds it. */
async function problemFound(
  page: ExpectedPage,
  answer: TextAnswer,
  { lookMs: timeoutMs = LOOK_MS }: LiveCheckOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lengths = [answer.text, page.jsonLd, ...page.comments].map(({ length }) => length);
  if (lengths.reduce((sum, length) => sum + length) <= LONGEST_HERE) return problemOf(page, answer);
  const data: PageThreadData = { page, answer };
  const entry = new URL('./page-thread.js', import.meta.url);
  const look = await inThread<string | undefined>(entry, data, { timeoutMs, signal });
  return look.kind === 'done' ? look.result : `the page could not be read within ${timeoutMs / 1_000} s`;
}
