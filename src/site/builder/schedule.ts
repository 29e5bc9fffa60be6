/** Longest pause between builds while changes stream in. */
const LONGEST_MS = 1_000;

/** What is to be built next. */
export type Work = ReadonlySet<string> | 'all';

/** Builds gathered and paced. */
export interface Schedule {
  /** Asks for a build of these files, or of everything. */
  request(work: Iterable<string> | 'all'): void;
  /** Builds what is waiting at once, and resolves when nothing waits or runs any more. */
  drain(): Promise<void>;
  /** Forgets what is waiting and starts nothing more. */
  stop(): void;
}

/**
 * Gathers requests and runs one build at a time: at once after a lone change, and while they stream in with
 * pauses as long as the last build took, so that building never takes more than half the time.
 *
 * @param run never rejects.
 */
export function createSchedule(run: (work: Work) => Promise<void>): Schedule {
  let waiting: Set<string> | 'all' | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let lastTook = 0;
  let isStopped = false;

  function request(work: Iterable<string> | 'all'): void {
    if (isStopped) return;
    if (work === 'all' || waiting === 'all') {
      waiting = 'all';
    } else {
      waiting ??= new Set();
      for (const path of work) waiting.add(path);
    }
    arm();
  }

  function arm(): void {
    if (timer !== undefined || running !== undefined || waiting === undefined || isStopped) return;
    const pause = Math.min(lastTook, LONGEST_MS);
    timer = setTimeout(start, Math.max(0, lastEnd + pause - performance.now()));
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === undefined || running !== undefined || isStopped) return;
    const work = waiting;
    waiting = undefined;
    const begin = performance.now();
    running = run(work).finally(() => {
      running = undefined;
      lastEnd = performance.now();
      lastTook = lastEnd - begin;
      arm();
    });
  }

  async function drain(): Promise<void> {
    while (!isStopped && (running !== undefined || waiting !== undefined)) {
      start();
      await running;
    }
  }

  function stop(): void {
    isStopped = true;
    clearTimeout(timer);
    waiting = undefined;
  }

  return { request, drain, stop };
}
