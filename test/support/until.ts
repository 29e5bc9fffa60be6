import { setTimeout } from 'node:timers/promises';

/** Longer than anything takes on a busy machine: a test that waits this long has failed. */
const PATIENCE_MS = 60_000;

/**
 * Waits until something holds that the product does in the background.
 *
 * @param expected one sentence: what the product should do, such as `the edit is committed`.
 * @param holds is asked every 20 ms; every 200 ms where asking takes long, as the product needs the processor more.
 * @throws Error with that sentence after 60 s.
 */
export async function until(expected: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const asked = performance.now();
    if (await holds()) return;
    const now = performance.now();
    if (now > end) throw new Error(`within ${PATIENCE_MS / 1000} s this did not come true: ${expected}`);
    await setTimeout(Math.min(200, Math.max(20, 4 * (now - asked))));
  }
}
