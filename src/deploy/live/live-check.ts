import { setTimeout } from 'node:timers/promises';
import { messageOf, quote } from '../../errors.js';
import { inThread } from '../in-thread.js';
import { type ExpectedPage, problemOf } from './page-problem.js';
import type { PageThreadData } from './page-thread.js';
import { isPrivateHost, type PublicAnswer, type PublicRequest, publicFetch } from './public-fetch.js';

export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** The pauses between the attempts, in milliseconds; the check is given up after the last one. */
  readonly pausesMs?: readonly number[];
  readonly resolve?: PublicRequest['resolve'];
  /** How long a look at a fetched page may take, in milliseconds. @default 10000 */
  readonly lookMs?: number;
}

/** Whether an article is live, or what is there instead. */
export type LiveResult = { readonly kind: 'live' } | { readonly kind: 'not-live'; readonly found: string };

/** About five minutes: hosts and their caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

const MAX_BYTES = 5_000_000;
const TIMEOUT_MS = 20_000;
const MOST_REDIRECTS = 5;
const LOOK_MS = 10_000;

/** Longer texts, in characters, are looked at in a thread, as deliveries are answered in this one. */
const LONGEST_HERE = 32_768;

/** Fetches an article's page until it is as expected. @returns what was found at last where it never was. */
export async function awaitLive(
  page: ExpectedPage,
  options: LiveCheckOptions,
  signal: AbortSignal,
): Promise<LiveResult> {
  let found = '';
  for (const ms of options.pausesMs ?? PAUSES_MS) {
    await setTimeout(ms, undefined, { signal });
    try {
      const answer = await fetchPage(page.url, options, signal);
      const problem =
        'problem' in answer ? answer.problem : await problemFound(page, answer, options, signal);
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
  answer: PublicAnswer,
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

/** Fetches a page of the site. Redirects are followed within the site's own origin alone. */
async function fetchPage(
  pageUrl: string,
  { siteUrl, resolve }: LiveCheckOptions,
  signal: AbortSignal,
): Promise<PublicAnswer | { readonly problem: string }> {
  const site = new URL(siteUrl);
  let url = new URL(pageUrl);
  for (let redirects = 0; ; redirects++) {
    if (url.origin !== site.origin)
      return {
        problem: `${redirects === 0 ? 'its URL' : 'a redirect'} leads to ${url.origin}, which is not the site`,
      };
    const answer = await publicFetch(url, {
      method: 'GET',
      headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
      allowPrivate: isPrivateHost(site.hostname),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
      ...(resolve !== undefined && { resolve }),
    });
    const [location] = answer.headers.location ?? [];
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    if (redirects === MOST_REDIRECTS) return { problem: `more than ${MOST_REDIRECTS} redirects` };
    if (!URL.canParse(location, url.href)) return { problem: `a redirect to ${quote(location, 100)}` };
    url = new URL(location, url);
  }
}
