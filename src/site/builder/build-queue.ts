import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { SiteReport } from '../options.js';

/** The longest that a build keeps its thread from hearing of anything else, in milliseconds. */
const PAUSE_AFTER_MS = 10;

/** In a burst of deliveries, which need the processor, a build rests this many times as long as it has worked. */
const REST = 4;
const LONGEST_REST_MS = 1_000;

/** What a build of everything ends with when the builder is closed. */
export class BuildStopped extends Error {}

/** The builds that the queue schedules. */
export interface ScheduledBuilds {
  /** Whether changes can be built alone; else a build of everything comes before them. */
  isReady(): boolean;
  /** Whether changes can be built in the midst of a build of everything. */
  isInterruptible(): boolean;
  /** Builds the changes that wait, as far as they can be built now; see `BuildQueue.buildEach`. */
  buildChanges(): Promise<void>;
  buildAll(): Promise<SiteReport>;
  /** Runs a job while no other process builds. */
  locked<T>(job: () => Promise<T>): Promise<T>;
  /** Called after each job. */
  afterJob(): void;
}

/** The builds of one site; see `createBuildQueue`. */
export type BuildQueue = ReturnType<typeof createBuildQueue>;

/** A request that waits for its turn. */
interface Waiting<Request, Result> {
  readonly request: Request;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * One loop over two queues. Changes of articles come first, between the files of a build of everything too; other jobs
 * come in their order.
 */
export function createBuildQueue(builds: ScheduledBuilds) {
  const changes: Waiting<readonly string[], SiteReport>[] = [];
  const jobs: Waiting<() => Promise<unknown>, unknown>[] = [];
  let working: Promise<void> | undefined;
  let interruption: Promise<void> | undefined;
  let isClosing = false;
  let isBurst = false;
  let lastPause = 0;

  function enqueue<R, T>(queue: Waiting<R, T>[], request: R): Promise<T> {
    return new Promise((resolve, reject) => {
      queue.push({ request, resolve, reject });
      start();
    });
  }

  function start(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (changes.length > 0 || jobs.length > 0) start();
    });
  }

  async function work(): Promise<void> {
    await nextTurn(); // requests of one turn are seen together
    while (changes.length > 0 || jobs.length > 0) {
      if (changes.length > 0 && builds.isReady())
        await builds.locked(builds.buildChanges).catch((error) => {
          for (const { reject } of changes.splice(0)) reject(error);
        });
      else if (jobs.length > 0) await serve(jobs.splice(0, 1), (job) => job());
      // Nobody has asked for everything, but without it changes cannot be built.
      else await serve(changes.splice(0), builds.buildAll);
      builds.afterJob();
    }
  }

  /** Answers requests by one result. */
  async function serve<R, T>(
    served: readonly Waiting<R, T>[],
    job: (request: R) => Promise<T>,
  ): Promise<void> {
    const [first] = served;
    if (first === undefined) return;
    try {
      const result = await job(first.request);
      for (const { resolve } of served) resolve(result);
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }

  /** Has each of the changes that wait built, those too that come meanwhile. */
  async function buildEach(build: (paths: readonly string[]) => Promise<SiteReport>): Promise<void> {
    for (let next = changes[0]; next !== undefined; next = changes[0]) {
      const report = await build(next.request);
      changes.shift();
      next.resolve(report);
    }
  }

  /** Answers the changes that wait without building them. */
  function answerChanges(report: () => SiteReport): void {
    for (const { resolve } of changes.splice(0)) resolve(report());
  }

  /** Whether the thread has worked for so long that others must have their turn. */
  function isRestDue(): boolean {
    return performance.now() - lastPause >= PAUSE_AFTER_MS;
  }

  /** Between two files: lets the thread hear of what comes meanwhile, and rests while deliveries come in fast. */
  async function rest(): Promise<void> {
    if (!isRestDue()) return;
    const worked = performance.now() - lastPause;
    await (isBurst ? sleep(Math.min(REST * worked, LONGEST_REST_MS)) : nextTurn());
    lastPause = performance.now();
  }

  /** Between two files of a build of everything: rests, and has the changes built that have come. */
  async function pause(): Promise<void> {
    const since = lastPause;
    await rest();
    if (lastPause === since) return;
    // Several threads are waited for at once; the changes are built by the first that comes by.
    if (builds.isInterruptible() && changes.length > 0)
      interruption ??= builds.buildChanges().finally(() => (interruption = undefined));
    await interruption;
    if (isClosing) throw new BuildStopped('the builder was closed in the midst of a build');
    lastPause = performance.now();
  }

  return {
    change: (paths: readonly string[]) => enqueue(changes, paths),
    run: <T>(job: () => Promise<T>) => enqueue(jobs, job) as Promise<T>,
    buildEach,
    answerChanges,
    pause,
    rest,
    isRestDue,
    /** A build begins: its first pause is not due yet. */
    begin: () => {
      lastPause = performance.now();
    },
    /** Has builds rest most of the time while deliveries come in fast, or no more. */
    pace: (to: boolean) => {
      isBurst = to;
    },
    isBurst: () => isBurst,
    /** Ends a build of everything that is under way; resolves when all that waits is done. */
    close: async () => {
      isClosing = true;
      while (working !== undefined) await working;
    },
  };
}
