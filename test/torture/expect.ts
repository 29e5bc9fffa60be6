import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BrokenPromise } from './scenario.js';

/** At most so much of a list is in a message. */
const SHOWN = 5;

/** @param sentence what the product should have done, and what it did. */
export function expectTrue(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenPromise(sentence);
}

/** @param promise what the product should have done. */
export function expectEqual(actual: unknown, expected: unknown, promise: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new BrokenPromise(`${promise}: expected ${shown(expected)}, found ${shown(actual)}`);
}

/** @param promise what the product should have done, so that there would be none. */
export function expectNone(exceptions: readonly unknown[], promise: string): void {
  if (exceptions.length === 0) return;
  const some = exceptions.slice(0, SHOWN).map(shown).join('; ');
  throw new BrokenPromise(`${promise}; ${exceptions.length} did not: ${some}`);
}

/** How long a receiver may take for what it does in the background, in milliseconds. */
const BACKGROUND_MS = 10_000;

/**
 * `expectNone` of what a running receiver may be in the middle of: it is asked again for some seconds.
 *
 * @param exceptions what there is just now.
 */
export async function expectNoneSoon(exceptions: () => readonly unknown[], promise: string): Promise<void> {
  for (const end = performance.now() + BACKGROUND_MS; performance.now() < end; await setTimeout(50))
    if (exceptions().length === 0) return;
  expectNone(exceptions(), promise);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)).slice(0, 2_000);
}
