import type { Lock } from '../../fs/lock.js';

/** Operations that are decided and written at the same time, at the most. */
const MOST_RUNNING = 64;

/** How long the lock is held between two looks for waiting processes, in milliseconds. */
const LOOK_EVERY_MS = 5;

interface Queued {
  readonly key: string;
  start(): Promise<void>;
  fail(error: unknown): void;
}

/**
 * - `out`: the lock is not held.
 * - `entering`: the lock is waited for.
 * - `open`: the lock is held, and operations are let in.
 * - `draining`: the lock is held, another process waits for it, and only what runs is finished.
 */
type State = 'out' | 'entering' | 'open' | 'draining';

/**
 * Runs operations under the store's cross-process lock, which makes compare-and-set true across processes. Many operations
 * run at once while it is held, as their syncs share the disk's next flush. While another process waits, no further
 * operation is let in, so that the lock changes hands as soon as those that run are done.
 *
 * @param readNewFiles reads what others have written; called before the first operation, and when another process has held
 *   the lock.
 */
export function createOperations(lock: Omit<Lock, 'run'>, readNewFiles: () => Promise<void>) {
  let queue: Queued[] = [];
  const running = new Set<string>();
  let state: State = 'out';
  let nextLook = 0;
  /** The lock's count of handovers up to which everything is read. */
  let readUpTo: number | undefined;
  const idlers: (() => void)[] = [];

  /**
   * Runs `work` while this process holds the lock and no other operation with the same key runs. Operations start in the
   * order in which they were given.
   *
   * @param key the article that the work is about, such as its id.
   * @throws what `work` throws; PressmarkError LOCK_TIMEOUT.
   */
  function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ key, start: () => work().then(resolve, reject), fail: reject });
      if (state === 'out') void enter();
      else if (state !== 'entering') admit();
    });
  }

  async function enter(): Promise<void> {
    state = 'entering';
    try {
      await lock.enter();
      await readOrLeave();
    } catch (error) {
      state = 'out';
      for (const operation of queue.splice(0)) operation.fail(error);
      wakeIdlers();
      return;
    }
    state = 'open';
    nextLook = performance.now() + LOOK_EVERY_MS;
    admit();
  }

  async function readOrLeave(): Promise<void> {
    const { handovers } = lock;
    if (handovers === readUpTo) return;
    try {
      await readNewFiles();
      readUpTo = handovers;
    } catch (error) {
      lock.leave();
      throw error;
    }
  }

  // At least one operation is let in each time: two busy processes must not hand the lock back and forth for nothing.
  function admit(): void {
    // Not `Date.now`: a clock that is set back would keep us from looking for as long.
    if (performance.now() >= nextLook) {
      nextLook = performance.now() + LOOK_EVERY_MS;
      if (lock.contended()) state = 'draining';
    }
    const waiting: Queued[] = [];
    for (const operation of queue) {
      const isFree = state === 'open' && running.size < MOST_RUNNING && !running.has(operation.key);
      if (isFree) start(operation);
      else waiting.push(operation);
    }
    queue = waiting;
    if (running.size === 0) leave();
  }

  function start(operation: Queued): void {
    running.add(operation.key);
    void operation.start().finally(() => {
      running.delete(operation.key);
      if (queue.length > 0) admit();
      else if (running.size === 0) leave();
    });
  }

  function leave(): void {
    state = 'out';
    lock.leave();
    if (queue.length > 0) void enter();
    else wakeIdlers();
  }

  function wakeIdlers(): void {
    for (const wake of idlers.splice(0)) wake();
  }

  /** Resolves when no operation runs or waits. */
  function idle(): Promise<void> {
    if (state === 'out' && queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  return { run, idle };
}
