import type { Lock } from '../../fs/lock.js';

/** Operations that are planned and written at the same time, at the most. */
const MAX_UNDER_WAY = 64;

// By the steady clock: one that is set back would keep us from looking for as long.
/** How long the lock is held between two looks for waiting processes, in milliseconds. */
const LOOK_EVERY_MS = 5;

/** Runs operations under the store's cross-process lock; see `createPipeline`. */
export interface Pipeline {
  /**
   * Runs `work` while this process holds the lock and no other operation with the same key is under way.
   * Operations start in the order they were given.
   *
   * @param key the article the work is about, such as its id.
   * @throws what `work` throws; PressmarkError LOCK_TIMEOUT.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is under way or waiting any more. */
  idle(): Promise<void>;
}

interface Queued {
  readonly key: string;
  start(): Promise<void>;
  fail(error: unknown): void;
}

/**
 * Holding the lock is what makes compare-and-set true across processes; letting many operations in at once
 * while it is held is what makes it fast, as their fsyncs share the disk's next flush. While another process
 * waits, no new operation is let in, so that the lock changes hands as soon as those under way are done.
 *
 * @param catchUp runs after the lock was newly taken, before the first operation: what others wrote is read.
 */
export function createPipeline(lock: Lock, catchUp: () => Promise<void>): Pipeline {
  let queue: Queued[] = [];
  const busy = new Set<string>();
  let inside = false;
  let entering = false;
  let closed = false;
  /**
   * Whether others may have written what has not been read yet; it stays so when reading fails. True to begin
   * with: the recovery has taken the lock after it had looked at the files, and may hold it still.
   */
  let behind = true;
  let nextLook = 0;
  const idlers: (() => void)[] = [];

  function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ key, start: () => work().then(resolve, reject), fail: reject });
      void pump();
    });
  }

  async function pump(): Promise<void> {
    if (entering || queue.length === 0) return;
    if (!inside) {
      entering = true;
      try {
        await enter();
      } catch (error) {
        for (const operation of queue.splice(0)) operation.fail(error);
        wake();
        return;
      } finally {
        entering = false;
      }
    }
    admit();
  }

  async function enter(): Promise<void> {
    if (await lock.enter()) behind = true;
    try {
      if (behind) await catchUp();
      behind = false;
    } catch (error) {
      lock.leave();
      throw error;
    }
    inside = true;
    closed = false;
    nextLook = performance.now() + LOOK_EVERY_MS;
  }

  function admit(): void {
    if (performance.now() >= nextLook) {
      nextLook = performance.now() + LOOK_EVERY_MS;
      closed ||= lock.contended();
    }
    // At least one is let in each time the lock is got: two busy processes must not hand it back and forth for nothing.
    const waiting: Queued[] = [];
    for (const operation of queue) {
      if (closed || busy.size >= MAX_UNDER_WAY || busy.has(operation.key)) waiting.push(operation);
      else start(operation);
    }
    queue = waiting;
    if (busy.size === 0) leave();
  }

  function start(operation: Queued): void {
    busy.add(operation.key);
    void operation.start().finally(() => {
      busy.delete(operation.key);
      if (queue.length > 0) admit();
      else if (busy.size === 0) leave();
    });
  }

  function leave(): void {
    inside = false;
    lock.leave();
    if (queue.length > 0) void pump();
    else wake();
  }

  function wake(): void {
    for (const done of idlers.splice(0)) done();
  }

  function idle(): Promise<void> {
    if (queue.length === 0 && busy.size === 0 && !entering) return Promise.resolve();
    return new Promise((resolve) => idlers.push(resolve));
  }

  return { run, idle };
}
