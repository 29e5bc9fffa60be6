import type { Lock } from '../../fs/lock.js';

/** The maximum number of operations at the same time. */
const MOST_RUNNING = 64;

/** How often waiting processes are looked for while the lock is held, in milliseconds. */
const LOOK_EVERY_MS = 5;

interface Queued {
  readonly key: string;
  start(): Promise<void>;
  fail(error: unknown): void;
}

/**
 * - `out`: the lock is not held.
 * - `entering`: this process waits for the lock.
 * - `open`: the lock is held, and operations are started.
 * - `draining`: the lock is held, but another process waits for it, so no operation is started.
 */
type State = 'out' | 'entering' | 'open' | 'draining';

/**
 * Runs operations under the store's cross-process lock, which makes compare-and-set atomic across processes. Many operations
 * run at once while it is held, as their syncs share the disk's next flush. While another process waits, no further operation
 * is started, so that it gets the lock as soon as the running ones have ended.
 *
 * @param readNewFiles reads files of other processes; called before the first operation, and whenever another process has held
 *   the lock.
 */
export function createOperations(lock: Omit<Lock, 'run'>, readNewFiles: () => Promise<void>) {
  let queue: Queued[] = [];
  const running = new Set<string>();
  let state: State = 'out';
  let nextLook = 0;
  /** The lock's count of handovers at the last read of new files. */
  let readUpTo: number | undefined;
  const idlers: (() => void)[] = [];

  /**
   * Runs `work` while this process holds the lock and no other operation with the same key runs. Operations with the same key
   * start in the order of their calls.
   *
   * @param key identifies the article, for example its id.
   * @throws errors of `work`; PressmarkError LOCK_TIMEOUT.
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

  // Starts at least one operation after each `enter`, so that two busy processes do not exchange the lock without any work.
  function admit(): void {
    // Not `Date.now`, as a clock that is set back would delay the next look.
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
