import type { Log } from '../../log.js';
import { type AwaitedArticle, type FactsKeeper, isOverdue } from '../facts.js';
import { checkLive, type LiveCheckOptions } from './live-check.js';
import { createLiveChecks } from './live-checks.js';
import type { ExpectedPage } from './page-problem.js';

/** The live check of a site. */
export interface LiveSettings extends LiveCheckOptions {
  /** What the page of an article should have; undefined where the article is gone. */
  expected(article: AwaitedArticle): Promise<ExpectedPage | undefined>;
  /** The pauses before the looks, in milliseconds. */
  readonly pausesMs?: readonly number[];
}

/** Where articles are looked for, and what follows. */
export interface AwaitedOptions {
  readonly facts: FactsKeeper;
  readonly live: LiveSettings;
  readonly log: Log;
  /** What was ready at which moments, by `performance.now()`, has reached the public site. */
  isDeployed(): (ready: number) => boolean;
  onLive(article: AwaitedArticle & { readonly ms: number }): void;
}

/** The articles that were delivered and not seen on the public site yet; see `createAwaited`. */
export interface AwaitedArticles {
  add(article: AwaitedArticle): void;
  /** An article was removed. */
  forget(path: string): void;
  /** A good build that began at a moment, by `performance.now()`, has all articles answered before, as far as it was for them. */
  built(began: number, isMeant: (article: AwaitedArticle) => boolean): void;
  /** Asks which articles git has as they are. @param committed where nothing is committed, the answer is enough. */
  committed(committed?: (paths: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
  /** The public site has changed. */
  look(): void;
  stop(): Promise<void>;
}

interface Awaited {
  article: AwaitedArticle;
  /** When the delivery was answered, by `performance.now()`; 0 for those of a former process. */
  readonly answered: number;
  /** Since when the article is in what is deployed, by `performance.now()`; undefined where it is not. */
  ready?: number;
  isReported?: boolean;
}

/** The most articles that are looked for; the oldest ones are dropped. */
const MOST_AWAITED = 1_000;

/** Looks for each delivered article on the public site until it is there as it was delivered. */
export function createAwaited({ facts, live, log, isDeployed, onLive }: AwaitedOptions): AwaitedArticles {
  /** By the article's file, the oldest first. */
  const awaited = new Map<string, Awaited>(
    facts.now.awaited.map((article) => [article.path, { article, answered: 0 }]),
  );
  const { pausesMs } = live;
  const checks = createLiveChecks({
    ready: () => {
      const isThere = isDeployed();
      return [...awaited.values()].filter(({ ready }) => ready !== undefined && isThere(ready));
    },
    look,
    log,
    ...(pausesMs !== undefined && { pausesMs }),
  });

  function note(): void {
    facts.set({ awaited: [...awaited.values()].map(({ article }) => article) });
  }

  function add(article: AwaitedArticle): void {
    const { path } = article;
    awaited.delete(path); // a newer text has replaced the other
    awaited.set(path, { article, answered: performance.now() });
    const [oldest] = awaited.keys();
    if (awaited.size > MOST_AWAITED && oldest !== undefined) {
      awaited.delete(oldest);
      log.warn(
        { path: oldest },
        `more than ${MOST_AWAITED} articles wait for the live check; the oldest is dropped`,
      );
    }
    note();
  }

  function forget(path: string): void {
    if (awaited.delete(path)) note();
  }

  function markReady(isReady: (one: Awaited) => boolean): void {
    for (const one of awaited.values())
      if (one.ready === undefined && isReady(one)) one.ready = performance.now();
  }

  async function committed(ask?: (paths: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    const waiting = [...awaited.values()].filter(({ ready }) => ready === undefined);
    const done = await ask?.(waiting.map(({ article }) => article.path));
    markReady((one) => waiting.includes(one) && (done === undefined || done.has(one.article.path)));
  }

  async function look(one: Awaited, isLast: boolean, signal: AbortSignal): Promise<void> {
    const { path, id, url, at } = one.article;
    const page = await live.expected(one.article);
    const found = page && (await checkLive(page, live, signal));
    if (awaited.get(path) !== one) return; // a newer text has replaced it
    if (found !== undefined) {
      one.article = { path, id, url, at, found };
      note();
      if (one.isReported || !(isLast || isOverdue(one.article))) return;
      one.isReported = true;
      log.warn({ id, url, found }, 'an article is not live');
      return;
    }
    awaited.delete(path);
    if (page !== undefined) {
      const ms = Date.now() - Date.parse(at);
      facts.set({ live: { at: new Date().toISOString(), id, url } });
      log.info({ id, url, ms }, 'article live');
      onLive({ ...one.article, ms });
    }
    note();
  }

  return {
    add,
    forget,
    built: (began, isMeant) => markReady(({ article, answered }) => answered <= began && isMeant(article)),
    committed,
    look: checks.start,
    stop: checks.stop,
  };
}
