import { messageOf } from '../../errors.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import type { Log } from '../../log.js';
import { type AwaitedArticle, type Facts, isOverdue, MOST_AWAITED } from '../facts.js';
import { fetchText, type TextAnswer } from '../fetch-text.js';
import type { ExpectedPage } from './page-problem.js';

/** Options of a check of a page. */
export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** `problemOf`, in another thread, because a page may be long and this thread answers deliveries. */
  readonly pageProblem: (page: ExpectedPage, answer: TextAnswer) => Promise<string | undefined>;
}

/** The live check of a site. */
export interface LiveSettings extends LiveCheckOptions {
  /** The expected page of an article; undefined if the article is gone, or should have no page now. */
  expected(article: AwaitedArticle): Promise<ExpectedPage | undefined>;
  /** The pauses before the checks, in milliseconds. */
  readonly pausesMs?: readonly number[];
}

/** Options of `createAwaited`. */
export interface AwaitedOptions {
  readonly facts: Facts;
  readonly live: LiveSettings;
  readonly log: Log;
  /** The moment, by `performance.now()`, up to which everything ready is on the public site. */
  deployedUntil(): number;
  /** Resolves once the action cannot be lost. Until then, the article stays in the facts. */
  onLive(article: AwaitedArticle & { readonly ms: number }): Promise<void>;
}

/** An article on its way to the public site. */
interface OnTheWay {
  article: AwaitedArticle;
  /** When the delivery was answered, by `performance.now()`; negative for deliveries to an earlier process. */
  readonly answered: number;
  /** When the article was built, or committed if a host builds the site, by `performance.now()`. */
  ready?: number;
  isReported?: boolean;
  isLive?: boolean;
}

/** Of some files, those that the host has, and those that wait for review. */
export interface CommittedFiles {
  readonly published: ReadonlySet<string>;
  readonly inReview: ReadonlySet<string>;
}

/** @param paths relative to the site's folder. */
export type AskCommitted = (paths: readonly string[]) => Promise<CommittedFiles>;

/** See `createAwaited`. */
export type AwaitedArticles = ReturnType<typeof createAwaited>;

/** The pauses before the checks, about five minutes in all, as hosts and caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

/** How many pages are checked at a time. */
const AT_A_TIME = 4;

/** How late another receiver may note a stored article, in milliseconds. A build may contain the article by then. */
const OTHERS_MS = 5_000;

/**
 * Checks each delivered article on the public site until its page is right: all deployed articles, newest first, with growing
 * pauses. Each deploy restarts the checks.
 */
export function createAwaited(options: AwaitedOptions) {
  const { facts, live, log, deployedUntil, onLive } = options;
  const { pausesMs = PAUSES_MS } = live;
  /** The awaited articles, by their files. */
  const awaited = new Map<string, OnTheWay>();
  const stopping = new AbortController();
  const { signal } = stopping;
  /** When the last good build began, by `performance.now()`. */
  let lastBuild = Number.NEGATIVE_INFINITY;
  /** The number of checks since the public site changed. */
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The pending `onLive` calls. */
  const settling = new Set<Promise<void>>();

  /** Adds an article whose delivery this receiver has answered. */
  function add(article: AwaitedArticle): void {
    awaited.delete(article.path); // a newer text has replaced the other
    awaited.set(article.path, awaitedSince(article, answeredAt(article)));
    facts.note({ awaited: article });
    const [oldest] = awaited.keys();
    if (awaited.size <= MOST_AWAITED || oldest === undefined) return;
    awaited.delete(oldest);
    const message = `more than ${MOST_AWAITED} articles wait for the live check; the oldest is dropped`;
    log.warn({ path: oldest }, message);
  }

  /** Drops a removed article. */
  function forget(path: string): void {
    awaited.delete(path);
    facts.note({ settled: path });
  }

  function awaitedSince(article: AwaitedArticle, answered: number): OnTheWay {
    return { article, answered, ...(lastBuild >= answered && { ready: performance.now() }) };
  }

  /** All awaited articles, including other receivers', without those that other receivers have seen. */
  function all(): OnTheWay[] {
    const noted = new Map(facts.now.awaited.map((article) => [article.path, article]));
    for (const path of awaited.keys()) if (!noted.has(path)) awaited.delete(path);
    for (const [path, article] of noted)
      if (awaited.get(path)?.article.at !== article.at)
        awaited.set(path, awaitedSince(article, answeredAt(article) - OTHERS_MS));
    return [...noted.keys()].flatMap((path) => awaited.get(path) ?? []);
  }

  function markReady(ones: readonly OnTheWay[]): void {
    for (const one of ones) one.ready ??= performance.now();
  }

  /**
   * Notes a good build: it contains the articles that were answered before it began, if it was for them.
   *
   * @param began when it began, by `performance.now()`.
   */
  function built(began: number, isBuilt: (article: AwaitedArticle) => boolean): void {
    markReady(all().filter(({ article, answered }) => answered <= began && isBuilt(article)));
    lastBuild = began;
  }

  /** Notes the articles that the host has. @param ask undefined if nothing is committed; then the answer is enough. */
  async function committed(ask?: AskCommitted): Promise<void> {
    const waiting = all().filter(({ ready }) => ready === undefined);
    const done = await ask?.(waiting.map(({ article }) => article.path));
    for (const one of waiting) {
      const { path, id, url, at, review } = one.article;
      if (awaited.get(path) !== one) continue; // a newer text has replaced it
      const isPublished = done === undefined || done.published.has(path);
      if (isPublished) markReady([one]);
      if (isPublished && review === 'waiting')
        one.article = { path, id, url, at: new Date().toISOString(), review: 'merged' };
      else if (!isPublished && review === undefined && done.inReview.has(path))
        one.article = { path, id, url, at, review: 'waiting' };
      else continue;
      facts.note({ awaited: one.article });
    }
  }

  function deployed(): OnTheWay[] {
    const until = deployedUntil();
    return all().filter(({ ready, isLive }) => ready !== undefined && ready <= until && isLive !== true);
  }

  /** Restarts the checks, as the public site may have changed. */
  function look(): void {
    looks = 0;
    if (running === undefined) schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const ms = pausesMs[looks];
    // Also without awaited articles: another receiver may note one after the deploy.
    if (ms === undefined || signal.aborted) return;
    timer = setTimeout(() => {
      running = lookAtAll().finally(() => {
        running = undefined;
        schedule();
      });
    }, ms);
  }

  async function lookAtAll(): Promise<void> {
    looks++;
    const isLast = looks === pausesMs.length;
    await eachAtATime(AT_A_TIME, deployed().toReversed(), async (one) => {
      if (looks === 0 || signal.aborted) return; // the looks begin anew, with what is new
      try {
        await lookAt(one, isLast);
      } catch (error) {
        if (!signal.aborted) log.error({ reason: messageOf(error) }, 'a page could not be checked');
      }
    });
  }

  /** @param isLast whether this is the last planned check. */
  async function lookAt(one: OnTheWay, isLast: boolean): Promise<void> {
    const { path, id, url, at, found: foundBefore } = one.article;
    const page = await live.expected(one.article);
    const found = page && (await checkLive(page, live, signal));
    if (awaited.get(path) !== one) return; // a newer text has replaced it
    if (found !== undefined) {
      one.article = { ...one.article, found };
      if (found !== foundBefore) facts.note({ awaited: one.article });
      if (one.isReported || !(isLast || isOverdue(one.article))) return;
      one.isReported = true;
      log.warn({ id, url, found }, 'an article is not live');
      return;
    }
    if (page === undefined) return forget(path);
    const ms = Date.now() - Date.parse(at);
    one.isLive = true;
    facts.note({ live: { at: new Date().toISOString(), id, url } });
    log.info({ id, url, ms }, 'article live');
    const followed = onLive({ ...one.article, ms }).then(() => {
      settling.delete(followed);
      if (awaited.get(path) === one) forget(path);
    });
    settling.add(followed);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    clearTimeout(timer);
    await running;
    await Promise.all(settling);
  }

  return { add, forget, built, committed, look, stop };
}

/** When a delivery was answered, by `performance.now()`. */
function answeredAt({ at }: AwaitedArticle): number {
  const ms = Date.now() - Date.parse(at) - 1; // the time is cut to milliseconds
  return performance.now() - Math.max(0, ms);
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
 * @returns what was found instead of the expected page; undefined if the article is live.
 * @throws the signal's reason.
 */
export async function checkLive(
  page: ExpectedPage,
  options: LiveCheckOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = new URL(page.url);
  if (url.origin !== new URL(options.siteUrl).origin)
    return `its URL is at ${url.origin}, which is not the site`;
  try {
    return await options.pageProblem(page, await fetchText(url, REQUEST, signal));
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
