import type { Log } from '../../log.js';

/** The timing of builds. */
export interface BuildPauses {
  /** A burst is over when nothing has changed for this long, in milliseconds. */
  readonly quietMs: number;
  /** The longest time that a build is delayed, in milliseconds. */
  readonly longestMs: number;
  /** The pause before a retry of a build that could not be started, in milliseconds; doubled each time. */
  readonly retryMs: number;
  /** The shortest interval between the starts of two builds, in milliseconds. @default 0 */
  readonly everyMs?: number;
}

/** The number of builds that may follow each other without a pause: for an article, and for its author's corrections. */
const FREE_BUILDS = 3;

const MINUTE_MS = 60_000;

/** The end of a build. `again`: retry even if nothing changes. `unneeded`: nothing was built. */
export type BuildEnd = 'done' | 'unneeded' | 'again';

export const PAUSES: BuildPauses = { quietMs: 1_000, longestMs: 15_000, retryMs: 3_000 };

const LONGEST_RETRY_MS = 10 * 60_000;

/**
 * Creates a queue that builds at once after a single change, and after a burst once nothing has changed for a while. It never
 * runs two builds at a time, respects the shortest interval, and builds less often while changes keep coming. Changes during a
 * build start another one.
 *
 * @param build retried if it rejects; the reason is logged.
 */
export function createBuildQueue(build: () => Promise<BuildEnd>, log: Log, pauses: BuildPauses = PAUSES) {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The times of the first and the last change that no build contains yet. */
  let waiting: { first: number; last: number } | undefined;
  let lastRequest = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let notBefore = 0;
  let isStopped = false;
  /** The start times of the builds of the last minute. */
  let recent: number[] = [];

  /** Requests a build after a change. */
  function request(): void {
    const now = performance.now();
    const isBurst = running !== undefined || now - lastRequest < pauses.quietMs;
    lastRequest = now;
    const first = waiting?.first ?? now;
    waiting = { first, last: now };
    schedule(isBurst ? Math.min(pauses.quietMs, first + pauses.longestMs - now) : 0);
  }

  function schedule(ms: number): void {
    if (running !== undefined || isStopped) return;
    clearTimeout(timer);
    timer = setTimeout(start, Math.max(0, ms, notBefore - performance.now()));
  }

  function start(): void {
    waiting = undefined;
    const began = performance.now();
    const tried = build().catch((err: unknown): BuildEnd => {
      log.error({ err }, 'a build could not be started; Pressmark tries again');
      return 'again';
    });
    running = tried.then((end) => {
      running = undefined;
      failures = end === 'again' ? failures + 1 : 0;
      if (end !== 'unneeded') {
        recent = [...recent.filter((start) => start > began - MINUTE_MS), began];
        const crowded = crowdedPause(recent.length, performance.now() - began, pauses.longestMs);
        notBefore = began + Math.max(pauses.everyMs ?? 0, crowded);
      }
      if (waiting !== undefined) schedule(waiting.last + pauses.quietMs - performance.now());
      else if (end === 'again') schedule(Math.min(LONGEST_RETRY_MS, pauses.retryMs * 2 ** (failures - 1)));
    });
  }

  /** Starts no further build. Resolves when the running one has ended. */
  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(timer);
    await running;
  }

  return { request, stop };
}

/**
 * The interval between the starts of two builds while changes keep coming: the duration of the build, doubled with each further
 * one. All values are in milliseconds.
 *
 * @param builds the number of builds that began within a minute, including this one.
 * @param tookMs the duration of this build.
 */
export function crowdedPause(builds: number, tookMs: number, longestMs = PAUSES.longestMs): number {
  return builds < FREE_BUILDS ? 0 : Math.min(longestMs, tookMs * 2 ** (builds - FREE_BUILDS));
}
