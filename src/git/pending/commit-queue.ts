import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { NotNow } from '../commit/head.js';
import type { Committer } from './committer.js';
import type { BatchEntry } from './drafting.js';
import { backoff, createPacing, STEADY } from './pacing.js';
import type { Cause, Outcome, PendingCommit } from './pending-commit.js';

/** The work that the queue schedules. */
export interface QueueWork extends Committer {
  /** Finds the articles whose files git lacks; `signal` ends that when the stop begins. */
  reconcile(signal: AbortSignal): Promise<Found>;
}

/** The result of `reconcile`. */
export type Found =
  | { readonly kind: 'found'; readonly paths: readonly string[] }
  | { readonly kind: 'not now'; readonly why: NotNow }
  /** The stop has ended the comparison. */
  | { readonly kind: 'stopped' };

/** See `Queue.commitSoon`. */
export interface AwaitedOptions {
  readonly isReplaced: boolean;
  readonly limitMs: number;
  readonly onLate?: (outcome: Outcome) => void;
}

/** The queue of commits; see `createQueue`. */
export interface Queue {
  /** Adds an article's file. A file that is in the queue already gets one commit, of what it holds then. */
  add(pending: PendingCommit): void;
  /**
   * Adds an article's file, and has the queue work on it without a pause.
   *
   * @param options.isReplaced whether an update waits that is about to replace the file.
   * @param options.limitMs how long to wait, in milliseconds. The file waits in the queue afterwards, too.
   * @param options.onLate called with the outcome of a batch that had begun when the time was up.
   * @returns undefined where the time was up.
   * @throws PressmarkError GIT_FAILED where git has failed meanwhile.
   */
  commitSoon(pending: PendingCommit, options: AwaitedOptions): Promise<Outcome | undefined>;
  /** Whether git has failed at the last attempt, or somebody has waited in vain for the attempt under way. */
  readonly isFailing: boolean;
  /** Has the articles' files compared with the branch, before anything that waits. */
  reconcile(): void;
  /** Commits the pending commits without further pauses. */
  close(): Promise<Remaining>;
}

/** The work that a queue leaves when it is closed. */
export interface Remaining {
  /** How many files could not be committed. */
  readonly files: number;
  /** Whether the articles' files are still to be compared with the branch. */
  readonly isToReconcile: boolean;
}

/** How many commits one batch may have. */
const MAX_BATCH = 200;
/** After how long a failed comparison is made again, in milliseconds. */
const RECONCILE_AGAIN_MS = 60_000;
/** After how long a file that could not be read is read again, in milliseconds. */
const UNREADABLE_AGAIN_MS = 30_000;
/** The pauses after failures, in milliseconds. */
const FAILING_MS = { first: 500, longest: 30_000 };
/** The pauses while HEAD is on no branch, in milliseconds. */
const NOT_NOW_MS = { first: 500, longest: 5_000 };

interface Waiter {
  readonly isReplaced: boolean;
  /** Whether the time was up; then the outcome goes to `onLate`. */
  isLate: boolean;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** An entry of a batch, with its waiters. A waiter that comes later waits for the next batch, which reads the file again. */
interface BatchItem {
  readonly entry: BatchEntry;
  readonly waiters: Set<Waiter>;
}

/**
 * Commits in the background, one batch at a time, in the order of arrival. Deliveries come first: while they stream in,
 * batches are delayed so that they grow, unless an answer waits for one. A commit that fails is tried again; a batch that
 * fails is divided, so that one bad file does not delay the others.
 */
export function createQueue(work: QueueWork, log: Log, clock = STEADY): Queue {
  const pending = new Map<string, PendingCommit>();
  const waiters = new Map<string, Set<Waiter>>();
  const pacing = createPacing(clock);
  /** The pending commits that wait by themselves: for a file that can be read, or for a search of the history. */
  const postponed = new Map<string, PendingCommit>();
  /** The searches that they wait for. */
  const searches = new Set<Promise<void>>();
  /** The files that could not be read the last time. */
  const unreadable = new Set<string>();
  /** A comparison that is to be made; where the last one has failed, after a pause. */
  let comparison: 'requested' | 'failed' | undefined;
  /** Whether somebody has waited in vain for the attempt under way. */
  let isStalled = false;
  /** Whether commits of any receiver may be parked. */
  let isParked = false;
  let running: Promise<void> | undefined;
  let limit = MAX_BATCH;
  let lastBatch = 0;
  let failures = 0;
  let obstacles = 0;
  let reported: string | undefined;

  function add(one: PendingCommit): void {
    pacing.recordArrival(pending.size === 0);
    enqueue(one);
    start();
  }

  /** A delivery's message says more than the file does, so the cause of a delivery is kept. */
  function enqueue(one: PendingCommit): void {
    const { path } = one;
    const known = pending.get(path)?.cause;
    if (known?.kind !== 'delivered' || one.cause.kind === 'delivered') pending.set(path, one);
    else if (one.cause.kind === 'edited') pending.set(path, { path, cause: { ...known, isEdited: true } });
  }

  async function commitSoon(
    one: PendingCommit,
    { isReplaced, limitMs, onLate = () => undefined }: AwaitedOptions,
  ): Promise<Outcome | undefined> {
    const served = new AbortController();
    const outcome = new Promise<Outcome | undefined>((resolve, reject) => {
      const waiter: Waiter = {
        isReplaced,
        isLate: false,
        resolve: (result) => (waiter.isLate ? onLate(result) : resolve(result)),
        reject,
      };
      const known = waiters.get(one.path) ?? new Set();
      waiters.set(one.path, known.add(waiter));
      void clock.wait(limitMs, served.signal).then(() => {
        if (!served.signal.aborted) isStalled = true;
        waiter.isLate = true;
        resolve(undefined);
      });
    });
    enqueue(one);
    pacing.endPause();
    start();
    try {
      return await outcome;
    } finally {
      served.abort();
    }
  }

  function reconcile(): void {
    comparison = 'requested';
    pacing.endPause();
    start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      // Work may have been added since the loop last checked.
      if (isThereWork() && !pacing.stopping.aborted) start();
    });
  }

  function isThereWork(): boolean {
    return isToCompare() || isParked || pending.size > 0;
  }

  function isToCompare(): boolean {
    return comparison === 'requested' && !pacing.stopping.aborted;
  }

  async function run(): Promise<void> {
    while (isThereWork()) {
      const began = clock.now();
      let obstacle: string | undefined;
      try {
        obstacle = await step();
        if (obstacle === undefined && failures > 0) log.info('commits work again');
        failures = 0;
        obstacles = obstacle === undefined ? 0 : obstacles + 1;
      } catch (error) {
        failures++;
        obstacle = messageOf(error);
        if (reported !== obstacle)
          log.error({ err: error, waiting: pending.size }, 'not committed; tried again later');
      } finally {
        isStalled = false;
      }
      if (obstacle !== undefined) {
        reported = obstacle;
        if (pacing.stopping.aborted) return;
        if (waiters.size > 0) continue;
        await pacing.pause(failures > 0 ? backoff(failures, FAILING_MS) : backoff(obstacles, NOT_NOW_MS));
        continue;
      }
      reported = undefined;
      if (waiters.size === 0) await pacing.yieldToDeliveries(lastBatch, began);
    }
  }

  /** Commits one batch, replays the parked commits, or compares; returns the obstacle if nothing can be done now. */
  async function step(): Promise<string | undefined> {
    const position = await orRefuseWaiters(work.readPosition());
    const { head } = position;
    isParked = position.isParked;
    lastBatch = 0;
    if (head.kind === 'not now') return parkAll(head);
    if (isParked) {
      const replayed = await orRefuseWaiters(work.replay(head));
      if (replayed.kind === 'not now') return parkAll(replayed.why);
      if (replayed.kind === 'lost') comparison = 'requested';
      isParked = false;
      return undefined;
    }
    if (isToCompare()) return compare();
    if (pending.size === 0) return undefined;
    await pacing.waitForBurst(isDue);
    const batch = nextBatch(() => true);
    const result = await attempt(batch, (entries) => work.commit(entries, head));
    if (result.kind === 'not now') {
      requeue(batch);
      return parkAll(result.why);
    }
    limit = Math.min(MAX_BATCH, limit * 4);
    lastBatch = batch.length;
    finish(batch, result.outcomes);
    return undefined;
  }

  /** Where work that comes before all batches fails, nobody waits for the next attempt: it may fail as well. */
  async function orRefuseWaiters<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      refuseWaiters(error);
      throw error;
    }
  }

  function refuseWaiters(error: unknown): void {
    for (const own of waiters.values()) for (const waiter of own) waiter.reject(error);
    waiters.clear();
  }

  /**
   * Runs an action on a batch. If it fails, the files go back into the queue, and the next batch is half as large: one
   * that git refuses must not fail those that wait for the others. A waiter hears of it when its file has failed alone.
   */
  async function attempt<T>(
    batch: readonly BatchItem[],
    action: (entries: readonly BatchEntry[]) => Promise<T>,
  ): Promise<T> {
    try {
      return await action(batch.map(({ entry }) => entry));
    } catch (error) {
      const isAlone = batch.length === 1;
      for (const { waiters: own } of batch)
        for (const waiter of own) {
          if (!isAlone && !waiter.isLate) continue;
          waiter.reject(error);
          own.delete(waiter);
        }
      requeue(batch);
      // A file that fails alone goes to the end of the queue.
      const [alone] = batch;
      if (isAlone && alone !== undefined) moveToEnd(alone.entry.path);
      limit = Math.max(1, Math.floor(batch.length / 2));
      throw error;
    }
  }

  /** Parks deliveries and files with waiters. Other pending commits wait for the branch. */
  async function parkAll(why: NotNow): Promise<string> {
    const { waitingFor } = why;
    if (reported !== waitingFor) log.warn({ waiting: pending.size }, `commits wait for ${waitingFor}`);
    reported = waitingFor;
    /** Those that were drafted, and wait for the branch as well. */
    const waiting = new Set<Cause>();
    const isToPark = ({ path, cause }: PendingCommit) =>
      waiters.has(path) || (cause.kind === 'delivered' && !waiting.has(cause));
    while ([...pending.values()].some(isToPark)) {
      await pacing.waitForBurst(isDue);
      const batch = nextBatch(isToPark);
      const outcomes = await attempt(batch, (entries) => work.park(entries, why));
      for (const { entry } of batch)
        if (outcomes.get(entry.path)?.kind === 'waiting') waiting.add(entry.cause);
      finish(batch, outcomes);
      limit = Math.min(MAX_BATCH, limit * 4);
      isParked = true;
    }
    return waitingFor;
  }

  async function compare(): Promise<string | undefined> {
    let found: Found;
    // Another request may come meanwhile, of which this comparison knows nothing.
    comparison = undefined;
    try {
      found = await work.reconcile(pacing.stopping);
    } catch (error) {
      // Deliveries need not wait for the next comparison.
      comparison ??= 'failed';
      log.error({ err: error }, 'the articles could not be compared with the branch; tried again later');
      const { stopping } = pacing;
      void clock.wait(RECONCILE_AGAIN_MS, stopping).then(() => (stopping.aborted ? undefined : reconcile()));
      return undefined;
    }
    if (found.kind === 'found') {
      for (const path of found.paths) enqueue({ path, cause: { kind: 'found' } });
      return undefined;
    }
    // Where the stop has ended it, the comparison is left to the next start, and to other receivers.
    comparison = 'requested';
    return found.kind === 'not now' ? parkAll(found.why) : undefined;
  }

  function finish(batch: readonly BatchItem[], outcomes: ReadonlyMap<string, Outcome>): void {
    requeue(batch.filter(({ entry }) => !outcomes.has(entry.path)));
    for (const { entry, waiters: own } of batch) {
      const { path, cause } = entry;
      const outcome = outcomes.get(path);
      if (outcome === undefined) continue;
      for (const waiter of own) waiter.resolve(outcome);
      if (outcome.kind === 'waiting' && !pending.has(path)) pending.set(path, { path, cause });
      postponed.delete(path);
      if (outcome.kind === 'failed') retryUnreadable({ path, cause }, outcome.error);
      else unreadable.delete(path);
      if (outcome.kind === 'postponed') waitForSearch({ path, cause }, outcome.until);
    }
  }

  /** A file that cannot be read does not delay the commits of others. */
  function retryUnreadable(one: PendingCommit, error: unknown): void {
    const { path } = one;
    const { stopping } = pacing;
    if (!unreadable.has(path))
      log.error({ path, err: error }, 'not committed: the file cannot be read; tried again later');
    unreadable.add(path);
    void postpone(
      one,
      clock.wait(UNREADABLE_AGAIN_MS, stopping).then(() => !stopping.aborted),
    );
  }

  function waitForSearch(one: PendingCommit, over: Promise<unknown>): void {
    log.info(
      { path: one.path },
      'the history of this file is long; its commit is decided upon when it has been searched',
    );
    const search = postpone(
      one,
      over.then(() => true),
    ).finally(() => searches.delete(search));
    searches.add(search);
  }

  /** Puts a pending commit back into the queue when `isDue` resolves with true, unless the file has had its turn since. */
  async function postpone(one: PendingCommit, isDue: Promise<boolean>): Promise<void> {
    postponed.set(one.path, one);
    if (!(await isDue) || postponed.get(one.path) !== one) return;
    postponed.delete(one.path);
    add(one);
  }

  function isDue(): boolean {
    return pending.size >= MAX_BATCH || waiters.size > 0;
  }

  /** The next batch of those that are eligible, with the files that have waiters first. */
  function nextBatch(isEligible: (one: PendingCommit) => boolean): BatchItem[] {
    const batch = new Set<PendingCommit>();
    for (const path of waiters.keys()) {
      const one = pending.get(path);
      if (one !== undefined && batch.size < limit) batch.add(one);
    }
    for (const one of pending.values()) {
      if (batch.size === limit) break;
      if (isEligible(one)) batch.add(one);
    }
    return [...batch].map(({ path, cause }) => {
      const own = waiters.get(path) ?? new Set();
      pending.delete(path);
      waiters.delete(path);
      const isReplaced = [...own].some((waiter) => waiter.isReplaced && !waiter.isLate);
      return { entry: { path, cause, isReplaced }, waiters: own };
    });
  }

  /** Puts a batch back at the front of the queue; an entry that was added meanwhile stays. */
  function requeue(batch: readonly BatchItem[]): void {
    if (batch.length === 0) return;
    const newer = [...pending.values()];
    pending.clear();
    for (const { entry, waiters: own } of batch) {
      const { path, cause } = entry;
      pending.set(path, { path, cause });
      if (own.size > 0) waiters.set(path, new Set([...own, ...(waiters.get(path) ?? [])]));
    }
    for (const one of newer) enqueue(one);
  }

  function moveToEnd(path: string): void {
    const one = pending.get(path);
    if (one === undefined) return;
    pending.delete(path);
    pending.set(path, one);
  }

  async function close(): Promise<Remaining> {
    pacing.stop();
    await running;
    await Promise.all(searches);
    await running;
    refuseWaiters(new PressmarkError('GIT_FAILED', 'the receiver is stopping'));
    return {
      files: pending.size + postponed.size,
      isToReconcile: comparison !== undefined,
    };
  }

  return {
    add,
    commitSoon,
    get isFailing() {
      return failures > 0 || isStalled;
    },
    reconcile,
    close,
  };
}
