import type { Log } from '../../log.js';

/** How builds follow one another. */
export interface BuildPauses {
  /** A burst is over when nothing has changed for this long, in milliseconds. */
  readonly quietMs: number;
  /** A build is not put off for longer than this, in milliseconds. */
  readonly longestMs: number;
  /** The pause before a build that could not be tried is tried again; doubled each time. */
  readonly retryMs: number;
  /** How much time lies at least between the starts of two builds, in milliseconds. @default 0 */
  readonly everyMs?: number;
}

/** So many builds may follow one another at once: an article, and what its author corrects when it is live. */
const FREE_BUILDS = 3;

const MINUTE_MS = 60_000;

/** How a build ended: `again` where it should be tried again although nothing changes, `unneeded` where nothing was built. */
export type BuildEnd = 'done' | 'unneeded' | 'again';

export const PAUSES: BuildPauses = { quietMs: 1_000, longestMs: 15_000, retryMs: 3_000 };

const LONGEST_RETRY_MS = 10 * 60_000;

/**
 * Builds at once after a single change, and during a burst once nothing has changed for a while; never two at a time, never
 * more often than it may, and seldom where changes keep coming. What changes during a build is built next.
 *
 * @param build is tried again where it rejects; the log says why it has.
 */
export function createBuildQueue(build: () => Promise<BuildEnd>, log: Log, pauses: BuildPauses = PAUSES) {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** When the first and the last of the changes came that no build has yet. */
  let waiting: { first: number; last: number } | undefined;
  let lastRequest = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let notBefore = 0;
  let isStopped = false;
  /** When the builds of the last minute began. */
  let recent: number[] = [];

  /** Something of the site has changed. */
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
      log.error({ err }, 'a build could not be tried; it is tried again');
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

  /** Starts no further build. Resolves when the one that runs has ended. */
  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(timer);
    await running;
  }

  return { request, stop };
}

/**
 * How much time lies between the start of a build and that of the next one, where changes keep coming: as long as the build
 * has taken, and twice as long after each further one. All in milliseconds.
 *
 * @param builds how many have begun within a minute, this one among them.
 * @param tookMs how long this one has taken.
 */
export function crowdedPause(builds: number, tookMs: number, longestMs = PAUSES.longestMs): number {
  return builds < FREE_BUILDS ? 0 : Math.min(longestMs, tookMs * 2 ** (builds - FREE_BUILDS));
}
