import { setImmediate } from 'node:timers/promises';
import type { VirtualClock } from '../../support/virtual-clock.js';

/** How far a clock is moved at a time, and at the most, in milliseconds. */
const STEP_MS = 50;
const MOST_MS = 600_000;

/**
 * Moves a clock in small steps until something holds.
 *
 * @param expected one sentence: what the product should do meanwhile.
 * @throws Error with that sentence after ten minutes of that clock.
 */
export async function elapse(clock: VirtualClock, expected: string, holds: () => boolean): Promise<void> {
  for (let passed = 0; passed <= MOST_MS; passed += STEP_MS) {
    // whatever can go on without the clock does so first
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    if (holds()) return;
    clock.pass(STEP_MS);
  }
  throw new Error(
    `within ${MOST_MS / 60_000} minutes of the virtual clock this did not come true: ${expected}`,
  );
}
