import { setImmediate as nextTurn } from 'node:timers/promises';

/** Batches that a helper has before it, so that it never waits for the next one. */
const UNDER_WAY = 5;

/** What is shared between two threads. */
export interface Shared<T> {
  /** What this thread must do by itself, and does first. */
  readonly first?: readonly T[];
  readonly items: readonly T[];
  /** Of a batch. */
  readonly size: number;
}

/**
 * Has a list worked off by this thread and a helper, each taking the next batch when it is free.
 *
 * @param own works a batch off in this thread.
 * @param helper has a batch worked off by the helper; false where that is no more, and it was not done. Undefined
 *   where there is none.
 */
export async function share<T>(
  { first = [], items, size }: Shared<T>,
  own: (batch: readonly T[]) => Promise<void>,
  helper?: (batch: readonly T[]) => Promise<boolean>,
): Promise<void> {
  let at = 0;

  function next(): readonly T[] {
    const batch = items.slice(at, at + size);
    at += size;
    return batch;
  }

  async function work(): Promise<void> {
    for (let done = 0; done < first.length; done += size) await step(first.slice(done, done + size));
    for (let batch = next(); batch.length > 0; batch = next()) await step(batch);
  }

  async function step(batch: readonly T[]): Promise<void> {
    await own(batch);
    await nextTurn(); // the helper's answers come in between
  }

  async function delegate(to: (batch: readonly T[]) => Promise<boolean>): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      if (await to(batch)) continue;
      await own(batch);
      return;
    }
  }

  const delegated = helper === undefined ? [] : Array.from({ length: UNDER_WAY }, () => delegate(helper));
  await Promise.all([work(), ...delegated]);
}
