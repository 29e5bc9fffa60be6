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

/** So many changes within so many milliseconds are a burst. */
const MANY = 50;
const WINDOW_MS = 500;

/** Notices when changes come in fast; see `createBurst`. */
export interface Burst {
  /** Counts a change. */
  note(): void;
  /** Counts no more. */
  stop(): void;
}

/**
 * Watches how fast changes come in. While a hundred a second are delivered and more, building their pages can wait,
 * and answering cannot.
 *
 * @param notify called when a burst begins and when it is over.
 */
export function createBurst(notify: (isBurst: boolean) => void): Burst {
  let count = 0;
  let isBurst = false;
  let timer: NodeJS.Timeout | undefined;

  function note(): void {
    if (++count === MANY) turn(true);
    timer ??= setInterval(look, WINDOW_MS).unref();
  }

  function look(): void {
    if (count < MANY) turn(false);
    if (count === 0) stop();
    count = 0;
  }

  function turn(to: boolean): void {
    if (isBurst === to) return;
    isBurst = to;
    notify(to);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return { note, stop };
}
