import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { backoff, STEADY } from '../clock.js';
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

/** The commands of which turns are made. */
export interface RemoteCommands<W> {
  /**
   * Commits a batch upon the newest tip that is known, and pushes it.
   *
   * @throws PressmarkError REMOTE_UNAVAILABLE where the end of the push is unknown; other errors where nothing was pushed.
   */
  push(batch: readonly W[]): Promise<Pushed>;
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
 * Talks to the remote in turns. One turn either pushes the writes that have gathered meanwhile, or fetches. In both cases
 * it is known afterwards what the remote had when the turn began: an accepted push proves as much as a fetch. So one turn
 * serves all who waited for a fetch before it began, however many they are.
 *
 * Where a push is refused, one fetch follows, and the writes whose decisions still hold are pushed again at once. After
 * a push of several writes, the next one waits for a moment until as many have come: their senders have just got their
 * answers, and a push of the first of them alone costs nearly as much as one of all.
 */
export function createPushQueue<W extends QueuedWrite>(
  remote: RemoteCommands<W>,
  log: Log,
  clock = STEADY,
): PushQueue<W> {
  let writes: WaitingWrite<W>[] = [];
  let fetchWaiters: FetchWaiter[] = [];
  let running: Promise<void> | undefined;
  let onArrival: () => void = () => undefined;
  let limit = MAX_BATCH;
  let failures = 0;
  let lastError: unknown;
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
      onArrival();
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
      rejectLateAndOutdated();
      if (writes.length + fetchWaiters.length === 0) break;
      if (await turn()) {
        if (failures > 0) log.info('the git remote answers again');
        failures = 0;
        continue;
      }
      failures++;
      // not in step with the other receivers
      await clock.wait(backoff(failures, PAUSE_MS) * (0.5 + Math.random()), closing.signal);
    }
    if (closing.signal.aborted) rejectAll();
  }

  /** One exchange with the remote; false where it led nowhere. */
  async function turn(): Promise<boolean> {
    const batch = nextBatch();
    const served = fetchWaiters;
    fetchWaiters = [];
    const pushed = batch.length === 0 ? undefined : await pushBatch(batch);
    if (pushed?.outcome === 'accepted') {
      for (const { write } of batch) write.accepted();
      for (const { resolve } of [...batch, ...served]) resolve();
      if (batch.length > 1) await gather(batch.length);
      return true;
    }
    try {
      const isNew = await remote.fetch();
      for (const { resolve } of served) resolve();
      // refused although nothing is new: the branch was locked for a moment
      return isNew || pushed?.outcome !== 'refused';
    } catch (error) {
      if (failures === 0) log.warn({ err: error }, 'the git remote cannot be asked; tried again');
      lastError = error;
      fetchWaiters = [...served.filter(({ settled }) => !settled.aborted), ...fetchWaiters];
      return false;
    }
  }

  /** Waits until so many writes have come, or a request that waits for a fetch. */
  async function gather(count: number): Promise<void> {
    const complete = new AbortController();
    onArrival = () => {
      if (writes.length >= count || fetchWaiters.length > 0) complete.abort();
    };
    onArrival();
    await clock.wait(GATHER_MS, AbortSignal.any([closing.signal, complete.signal]));
    onArrival = () => undefined;
  }

  /** Pushes a batch; a write that is neither accepted nor failed for good goes back into the queue. */
  async function pushBatch(batch: readonly WaitingWrite<W>[]): Promise<Pushed | undefined> {
    try {
      const pushed = await remote.push(batch.map(({ write }) => write));
      if (pushed.outcome === 'declined') {
        if (batch.length > 1) putBack(batch, 1);
        else for (const { reject } of batch) reject(declined(pushed.why));
      } else if (pushed.outcome === 'refused') putBack(batch, limit);
      else limit = Math.min(MAX_BATCH, limit * 4);
      return pushed;
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE') {
        lastError = error;
        // The remote may have the batch. Then the fetch that follows finds it, and the writes are no longer current.
        for (const waiting of batch) waiting.unclear = error;
        putBack(batch, limit);
        return { outcome: 'refused' };
      }
      if (batch.length > 1) putBack(batch, 1);
      else for (const { reject } of batch) reject(error);
      return undefined;
    }
  }

  function putBack(batch: readonly WaitingWrite<W>[], nextLimit: number): void {
    writes = [...batch, ...writes];
    limit = nextLimit;
  }

  function rejectLateAndOutdated(): void {
    const now = clock.now();
    writes = writes.filter(({ write, unclear, reject }) => {
      if (!write.isCurrent()) reject(outdated(unclear));
      else if (write.deadline < now) reject(unavailable(lastError));
      else return true;
      return false;
    });
  }

  function nextBatch(): WaitingWrite<W>[] {
    let size = 0;
    let count = 0;
    for (const { write } of writes) {
      size += write.text.length;
      if (count === limit || (count > 0 && size > MAX_BATCH_SIZE)) break;
      count++;
    }
    return writes.splice(0, count);
  }

  function rejectAll(): void {
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
