import { messageOf } from '../../errors.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import type { Log } from '../../log.js';

/** What is looked at, and what follows. */
export interface LiveChecksOptions<Article> {
  /** The articles that should be on the public site by now, the oldest first. */
  ready(): readonly Article[];
  /** Looks at the page of one article. @param isLast whether no further look is planned. */
  look(article: Article, isLast: boolean, signal: AbortSignal): Promise<void>;
  readonly log: Log;
  /** The pauses before the looks, in milliseconds. */
  readonly pausesMs?: readonly number[];
}

/** Looks at public pages again and again; see `createLiveChecks`. */
export interface LiveChecks {
  /** The public site has changed: the looks begin anew. */
  start(): void;
  stop(): Promise<void>;
}

/** About five minutes: hosts and their caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

/** So many pages are looked at at a time. */
const AT_A_TIME = 4;

/**
 * Looks at the pages of all articles that are ready, the newest first, again after growing pauses, until none is left or
 * the last pause is over. After the next change of the public site the looks begin anew.
 */
export function createLiveChecks<Article>({
  ready,
  look,
  log,
  pausesMs = PAUSES_MS,
}: LiveChecksOptions<Article>): LiveChecks {
  const stopping = new AbortController();
  const { signal } = stopping;
  let done = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function start(): void {
    done = 0;
    if (running === undefined) schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const ms = pausesMs[done];
    if (ms === undefined || signal.aborted || ready().length === 0) return;
    timer = setTimeout(() => {
      running = lookAtAll().finally(() => {
        running = undefined;
        schedule();
      });
    }, ms);
  }

  async function lookAtAll(): Promise<void> {
    done++;
    const isLast = done === pausesMs.length;
    await eachAtATime(AT_A_TIME, ready().toReversed(), async (article) => {
      if (done === 0 || signal.aborted) return; // the looks begin anew, with what is new
      try {
        await look(article, isLast, signal);
      } catch (error) {
        if (!signal.aborted) log.error({ reason: messageOf(error) }, 'a page could not be checked');
      }
    });
  }

  async function stop(): Promise<void> {
    stopping.abort();
    clearTimeout(timer);
    await running;
  }

  return { start, stop };
}
