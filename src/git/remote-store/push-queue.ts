import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { STEADY } from '../pending/pacing.js';
import type { Pushed } from '../push/remote.js';

/** A write that waits for its push. */
export interface QueuedWrite {
  readonly text: string;
  /** No push is begun for it after this moment, by the clock of the queue: `performance.now()`. */
  readonly deadline: number;
  /** Whether the decision to write it holds upon all that was fetched. */
  isCurrent(): boolean;
  /** Called once the remote has it, before any caller that waits goes on. */
  accepted(): void;
}

/** The commands of which turns are made; `C` stands for the commits of a batch. */
export interface RemoteCommands<W, C> {
  /**
   * Makes a commit of each write, in order, as they come.
   *
   * @param before the batch that is being pushed, on top of which they are made; otherwise the newest tip that is known.
   */
  commit(writes: readonly W[] | AsyncIterable<W>, before?: C): Promise<C>;
  /**
   * Pushes the commits of a batch.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE where the end of the push is unknown; other errors where nothing was pushed.
   */
  push(commits: C): Promise<Pushed>;
  /**
   * Fetches what is new. Resolves with whether anything was.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  fetch(): Promise<boolean>;
}

/** Pushes and fetches, one after the other; see `createPushQueue`. */
export interface PushQueue<W> {
  /** The error of the last turn; undefined where it went well. */
  readonly lastFailure: unknown;
  /**
   * Resolves when the remote has the write.
   *
   * @throws PressmarkError OUTDATED where the decision no longer holds and must be made again. The error's cause is that
   *   of a push whose end is unknown: what others built on may be this very write. REMOTE_DECLINED; REMOTE_UNAVAILABLE,
   *   in which case the remote may have the write nevertheless.
   */
  push(write: W): Promise<void>;
  /**
   * Resolves when all that any receiver had acknowledged at the time of the call is known here.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE.
   */
  waitForFetch(): Promise<void>;
  /** Ends after the turn under way. */
  close(): Promise<void>;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

interface FetchWaiter extends Waiter {
  readonly settled: AbortSignal;
}

interface WaitingWrite<W> extends Waiter {
  readonly write: W;
  /** The error of a push of it whose end is unknown. */
  unclear?: unknown;
}

/** Writes whose commits are made. */
interface Batch<W, C> {
  readonly writes: readonly WaitingWrite<W>[];
  readonly commits: C;
}

/** The result of a push; `unknown` where the remote may have the batch, `failed` where nothing was pushed. */
type PushResult = Pushed | { readonly outcome: 'unknown' | 'failed'; readonly error: unknown };

/** How many writes one push may carry, … */
const MAX_BATCH = 100;
/** … and how much text, in characters, so that a push ends in time. */
const MAX_BATCH_SIZE = 8_000_000;
/** How long a lookup waits for a remote that does not answer, in milliseconds; it has 15 s. */
const FETCH_WAIT_MS = 10_000;
/** How long the senders of a batch that was accepted have to send the next ones, in milliseconds. */
const GATHER_MS = 50;
/** The pauses after turns that failed: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 1_000 };

/**
 * Talks to the remote in turns. One turn either pushes a batch of writes, or fetches. In both cases it is known afterwards
 * what the remote had when the turn began: an accepted push proves as much as a fetch. So one turn serves all who waited
 * for a fetch before it began, however many they are.
 *
 * During a push, the commits of the writes that arrive are made, on top of the commits that are being pushed: they are
 * the next batch. Where a push is refused, one fetch follows, and the writes of both batches whose decisions still hold
 * are committed and pushed again at once.
 */
export function createPushQueue<W extends QueuedWrite, C>(
  remote: RemoteCommands<W, C>,
  log: Log,
  clock = STEADY,
): PushQueue<W> {
  let writes: WaitingWrite<W>[] = [];
  let fetchWaiters: FetchWaiter[] = [];
  /** The batch that was committed during the push of the one before. */
  let next: Batch<W, C> | undefined;
  let running: Promise<void> | undefined;
  let limit = MAX_BATCH;
  let failures = 0;
  let lastError: unknown;
  let onArrival: () => void = () => undefined;
  const closing = new AbortController();

  function push(write: W): Promise<void> {
    return new Promise((resolve, reject) => {
      writes.push({ write, resolve, reject });
      onArrival();
      start();
    });
  }

  function waitForFetch(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settled = new AbortController();
      const settle = (done: () => void) => {
        if (!settled.signal.aborted) done();
        settled.abort();
      };
      const waiter: FetchWaiter = {
        settled: settled.signal,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      fetchWaiters.push(waiter);
      void clock.wait(FETCH_WAIT_MS, settled.signal).then(() => {
        fetchWaiters = fetchWaiters.filter((one) => one !== waiter);
        waiter.reject(unavailable(lastError));
      });
      start();
    });
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (writes.length + fetchWaiters.length > 0 && !closing.signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      if (next?.writes.every(isDue) === false) putBackNext();
      writes = writes.filter(isDue);
      if (writes.length + fetchWaiters.length === 0 && next === undefined) break;
      if (await turn()) {
        if (failures > 0) log.info('the git remote answers again');
        failures = 0;
        continue;
      }
      failures++;
      // not in step with the other receivers
      const longest = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** Math.min(failures - 1, 10));
      await clock.wait(longest * (0.5 + Math.random()), closing.signal);
    }
    if (closing.signal.aborted) rejectAll();
  }

  /** One exchange with the remote; false where it led nowhere. */
  async function turn(): Promise<boolean> {
    const batch = next ?? (writes.length === 0 ? undefined : await commitWaiting());
    next = undefined;
    const served = fetchWaiters;
    fetchWaiters = [];
    const outcome = batch === undefined ? undefined : await pushBatch(batch, served);
    if (outcome === 'accepted') return true;
    try {
      const isNew = await remote.fetch();
      for (const { resolve } of served) resolve();
      // refused although nothing is new: the branch was locked for a moment
      return isNew || (outcome !== 'refused' && outcome !== 'unknown');
    } catch (error) {
      if (failures === 0) log.warn({ err: error }, 'the git remote cannot be asked; tried again');
      lastError = error;
      fetchWaiters = [...served.filter(({ settled }) => !settled.aborted), ...fetchWaiters];
      return false;
    }
  }

  /** Pushes a batch; a write that is neither accepted nor failed for good goes back into the queue. */
  async function pushBatch({ writes: batch, commits }: Batch<W, C>, served: readonly FetchWaiter[]) {
    const pushing = remote.push(commits).catch(
      (error: unknown): PushResult => ({
        outcome:
          error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE' ? 'unknown' : 'failed',
        error,
      }),
    );
    const committing = commitDuring(pushing, batch.length, commits);
    const pushed: PushResult = await pushing;
    if (pushed.outcome === 'accepted') {
      limit = Math.min(MAX_BATCH, limit * 4);
      for (const { write } of batch) write.accepted();
      for (const { resolve } of [...batch, ...served]) resolve();
      next = await committing;
      return pushed.outcome;
    }
    next = await committing;
    putBackNext();
    if (pushed.outcome === 'unknown') {
      lastError = pushed.error;
      // The remote may have the batch. Then the fetch that follows finds it, and the writes are no longer current.
      for (const waiting of batch) waiting.unclear = pushed.error;
    }
    if (pushed.outcome === 'declined') refuseOrSplit(batch, declined(pushed.why));
    else if (pushed.outcome === 'failed') refuseOrSplit(batch, pushed.error);
    else writes = [...batch, ...writes];
    return pushed.outcome;
  }

  /** Rejects a write that fails by itself; of several, each is tried alone. */
  function refuseOrSplit(batch: readonly WaitingWrite<W>[], error: unknown): void {
    if (batch.length <= 1) for (const { reject } of batch) reject(error);
    else {
      writes = [...batch, ...writes];
      limit = 1;
    }
  }

  /** The next batch, of the writes that wait; undefined where there are none, or where git cannot commit them. */
  async function commitWaiting(): Promise<Batch<W, C> | undefined> {
    const batch: WaitingWrite<W>[] = [];
    while (takeNext(batch) !== undefined);
    if (batch.length === 0) return undefined;
    return commit(batch, () => remote.commit(batch.map(({ write }) => write)));
  }

  /** The next batch, of the writes that arrive during a push; they may be those of senders who have just got their answers. */
  async function commitDuring(pushing: Promise<PushResult>, senders: number, before: C) {
    const batch: WaitingWrite<W>[] = [];
    let isOver = false;
    const complete = new AbortController();
    const over = pushing.then(async ({ outcome }) => {
      const signal = AbortSignal.any([closing.signal, complete.signal]);
      if (outcome === 'accepted' && senders > 1 && batch.length < senders)
        await clock.wait(GATHER_MS, signal);
      isOver = true;
      onArrival();
    });
    async function* arrivals(): AsyncGenerator<W> {
      for (;;) {
        const write = takeNext(batch);
        if (batch.length >= senders) complete.abort();
        if (write !== undefined) yield write;
        else if (isOver) return;
        else await arrival();
      }
    }
    while (writes.length === 0 && !isOver) await arrival();
    const made = await (isOver ? undefined : commit(batch, () => remote.commit(arrivals(), before)));
    await over;
    return made;
  }

  function arrival(): Promise<void> {
    return new Promise((resolve) => {
      onArrival = resolve;
    });
  }

  async function commit(
    batch: readonly WaitingWrite<W>[],
    make: () => Promise<C>,
  ): Promise<Batch<W, C> | undefined> {
    try {
      const commits = await make();
      return batch.length === 0 ? undefined : { writes: batch, commits };
    } catch (error) {
      refuseOrSplit(batch, error);
      return undefined;
    }
  }

  function putBackNext(): void {
    writes = [...(next?.writes ?? []), ...writes];
    next = undefined;
  }

  /** Whether a write may be pushed now; rejects it where it may not be pushed any more. */
  function isDue({ write, unclear, reject }: WaitingWrite<W>): boolean {
    const isCurrent = write.isCurrent();
    const isInTime = write.deadline >= clock.now();
    if (!isCurrent) reject(outdated(unclear));
    else if (!isInTime) reject(unavailable(lastError));
    return isCurrent && isInTime;
  }

  /** Takes the next write into a batch that has room for it. */
  function takeNext(batch: WaitingWrite<W>[]): W | undefined {
    const size = batch.reduce((sum, { write }) => sum + write.text.length, 0);
    for (let first = writes[0]; first !== undefined; first = writes[0]) {
      if (batch.length === limit || (batch.length > 0 && size + first.write.text.length > MAX_BATCH_SIZE))
        break;
      writes.shift();
      if (!isDue(first)) continue;
      batch.push(first);
      return first.write;
    }
    return undefined;
  }

  function rejectAll(): void {
    putBackNext();
    for (const { reject } of [...writes.splice(0), ...fetchWaiters.splice(0)]) reject(unavailable(undefined));
  }

  async function close(): Promise<void> {
    closing.abort();
    await running;
    rejectAll();
  }

  return {
    get lastFailure() {
      return failures > 0 ? lastError : undefined;
    },
    push,
    waitForFetch,
    close,
  };
}

function unavailable(cause: unknown): PressmarkError {
  const why = cause instanceof PressmarkError ? messageOf(cause) : 'the git remote did not answer in time';
  return new PressmarkError('REMOTE_UNAVAILABLE', `${why}; nothing is acknowledged, send it again`, {
    cause,
  });
}

function outdated(cause: unknown): PressmarkError {
  return new PressmarkError('OUTDATED', 'another receiver was first; send it again', { cause });
}

function declined(why: string): PressmarkError {
  return new PressmarkError(
    'REMOTE_DECLINED',
    'the git remote declined the commit; the receiver’s log says why',
    { cause: new Error(why) },
  );
}
