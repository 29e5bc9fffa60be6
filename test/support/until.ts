import { setTimeout } from 'node:timers/promises';

/**
 * Longer than any awaited condition takes on a busy machine. Builds in the background have the lowest priority, and
 * several of a generator's, of some seconds each, may come before the one that is waited for.
 */
const PATIENCE_MS = 300_000;

/**
 * Waits until a condition holds that background work of the product brings about.
 *
 * @param expected one sentence: what the product should do, such as `the edit is committed`.
 * @param holds called every 20 ms; less often, up to every 200 ms, if a call is slow, to leave the product more CPU
 *   time.
 * @throws Error with that sentence after 300 s.
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
