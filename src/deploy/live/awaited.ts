import { messageOf } from '../../errors.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import type { Log } from '../../log.js';
import { type AwaitedArticle, type Facts, isOverdue, MOST_AWAITED } from '../facts.js';
import { fetchText, type TextAnswer } from '../fetch-text.js';
import type { ExpectedPage } from './page-problem.js';

/** What a page of the site is looked at with. */
export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** `problemOf`, in another thread: a page may be as long as its author likes, and deliveries are answered in this one. */
  readonly pageProblem: (page: ExpectedPage, answer: TextAnswer) => Promise<string | undefined>;
}

/** The live check of a site. */
export interface LiveSettings extends LiveCheckOptions {
  /** What the page of an article should have; undefined if the article is gone. */
  expected(article: AwaitedArticle): Promise<ExpectedPage | undefined>;
  /** The pauses before the looks, in milliseconds. */
  readonly pausesMs?: readonly number[];
}

/** Where articles are looked for, and what follows. */
export interface AwaitedOptions {
  readonly facts: Facts;
  readonly live: LiveSettings;
  readonly log: Log;
  /** What was ready up to which moment, by `performance.now()`, is on the public site. */
  deployedUntil(): number;
  /** Resolves when nothing of what follows can be lost; until then, the article stays in the facts. */
  onLive(article: AwaitedArticle & { readonly ms: number }): Promise<void>;
}

/** An article as it stands on its way to the public site. */
interface OnTheWay {
  article: AwaitedArticle;
  /** When the delivery was answered, by `performance.now()`; negative for those of a former process. */
  readonly answered: number;
  /** Since when the article is built, or committed where a host builds the site, by `performance.now()`. */
  ready?: number;
  isReported?: boolean;
  isLive?: boolean;
}

/** See `createAwaited`. */
export type AwaitedArticles = ReturnType<typeof createAwaited>;

/** About five minutes: hosts and their caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

/** So many pages are looked at at a time. */
const AT_A_TIME = 4;

/** Another receiver may note so long after it has stored an article that it has, in milliseconds; a build may have it by then. */
const OTHERS_MS = 5_000;

/**
 * Looks for each delivered article on the public site until it is there as it was delivered: all that are deployed, the newest
 * first, again after growing pauses. After the next deploy the looks begin anew.
 */
export function createAwaited(options: AwaitedOptions) {
  const { facts, live, log, deployedUntil, onLive } = options;
  const { pausesMs = PAUSES_MS } = live;
  /** What is known of the articles that the facts have, by their files. */
  const awaited = new Map<string, OnTheWay>();
  const stopping = new AbortController();
  const { signal } = stopping;
  /** When the last good build began, by `performance.now()`. */
  let lastBuild = Number.NEGATIVE_INFINITY;
  /** The looks since the public site has changed. */
  let looks = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** What follows on articles that are live. */
  const settling = new Set<Promise<void>>();

  /** This receiver has answered the delivery of an article. */
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

  /** An article was removed. */
  function forget(path: string): void {
    awaited.delete(path);
    facts.note({ settled: path });
  }

  function awaitedSince(article: AwaitedArticle, answered: number): OnTheWay {
    return { article, answered, ...(lastBuild >= answered && { ready: performance.now() }) };
  }

  /** All that are awaited now, with those of other receivers and without what these have seen. */
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
   * A good build has all articles answered before it began, as far as it was for them.
   *
   * @param began when it began, by `performance.now()`.
   */
  function built(began: number, isBuilt: (article: AwaitedArticle) => boolean): void {
    markReady(all().filter(({ article, answered }) => answered <= began && isBuilt(article)));
    lastBuild = began;
  }

  /** Asks which articles git has as they are. @param ask undefined if nothing is committed: the answer is enough. */
  async function committed(ask?: (paths: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const waiting = all().filter(({ ready }) => ready === undefined);
    const done = await ask?.(waiting.map(({ article }) => article.path));
    markReady(waiting.filter(({ article }) => done === undefined || done.has(article.path)));
  }

  function deployed(): OnTheWay[] {
    const until = deployedUntil();
    return all().filter(({ ready, isLive }) => ready !== undefined && ready <= until && isLive !== true);
  }

  /** The public site may have changed: the looks begin anew. */
  function look(): void {
    looks = 0;
    if (running === undefined) schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const ms = pausesMs[looks];
    // Also where no article is awaited: another receiver may note later than the deploy that it has answered for one.
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

  /** @param isLast whether no further look is planned. */
  async function lookAt(one: OnTheWay, isLast: boolean): Promise<void> {
    const { path, id, url, at, found: foundBefore } = one.article;
    const page = await live.expected(one.article);
    const found = page && (await checkLive(page, live, signal));
    if (awaited.get(path) !== one) return; // a newer text has replaced it
    if (found !== undefined) {
      one.article = { path, id, url, at, found };
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
 * @returns what was found instead of the page that is expected; undefined if the article is live.
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
