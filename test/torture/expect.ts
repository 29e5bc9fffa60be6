import { isDeepStrictEqual } from 'node:util';
import { until } from '../support/until.js';
import { BrokenPromise } from './scenario.js';

/** How many elements of a list a message shows. */
const SHOWN = 5;

/** @param sentence what the product should have done and what it did. */
export function expectTrue(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenPromise(sentence);
}

/** @param promise what the product should have done. */
export function expectEqual(actual: unknown, expected: unknown, promise: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new BrokenPromise(`${promise}: expected ${shown(expected)}, found ${shown(actual)}`);
}

/** @param promise what the product should have done; each element of the list is an exception to it. */
export function expectNone(exceptions: readonly unknown[], promise: string): void {
  if (exceptions.length === 0) return;
  const some = exceptions.slice(0, SHOWN).map(shown).join('; ');
  throw new BrokenPromise(`${promise}; ${exceptions.length} found that contradict this: ${some}`);
}

/**
 * Like `expectNone`, but repeats the check, because a running receiver may not have finished its work.
 *
 * @param exceptions returns the current exceptions.
 */
export async function expectNoneSoon(
  exceptions: () => readonly unknown[] | Promise<readonly unknown[]>,
  promise: string,
): Promise<void> {
  await until(promise, async () => (await exceptions()).length === 0).catch(async () =>
    expectNone(await exceptions(), promise),
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)).slice(0, 2_000);
}
