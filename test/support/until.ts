import { availableParallelism, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';

/** For `npm test`, in which nothing takes long. */
const SHORT_MS = 50_000;
/** For `npm run faults`, where a fault that keeps something from happening is found by waiting for it. */
const SHORTER_MS = 20_000;
/** The longest there, however busy the machine is: shorter than AVA waits for anything to happen. */
const SHORT_MOST_MS = 150_000;
/** Builds in the background have the lowest priority, and several of a generator's may come before the one waited for. */
const LONG_MS = 300_000;

/**
 * How long a test waits for anything, in milliseconds. In `npm test` a test that hangs says so within a minute, and
 * later in proportion on a machine that is busy with other work than the tests.
 */
export function patienceMs(): number {
  const { PRESSMARK_TEST_PATIENCE: patience = 'long' } = process.env;
  if (patience === 'long') return LONG_MS;
  const loadOfTests = 2 * availableParallelism();
  const quietMs = patience === 'short' ? SHORT_MS : SHORTER_MS;
  return Math.round(Math.min(SHORT_MOST_MS, quietMs * Math.max(1, (loadavg()[0] ?? 0) / loadOfTests)));
}

/**
 * Waits until a condition holds that background work of the product brings about.
 *
 * @param expected one sentence: what the product should do, such as `the edit is committed`.
 * @param holds called every 20 ms; less often, up to every 400 ms, if a call is slow, as one that runs git is, to leave the
 *   product more CPU time.
 * @throws Error with that sentence when the patience is over.
 */
export async function until(expected: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    if (await holds()) return;
    const now = performance.now();
    if (now - began > patienceMs())
      throw new Error(`within ${Math.round((now - began) / 1000)} s this did not come true: ${expected}`);
    await setTimeout(Math.min(400, Math.max(20, 8 * (now - asked))));
  }
}

/**
 * Waits for a promise that may never come.
 *
 * @param expected as of `until`.
 * @throws Error with that sentence when the patience is over.
 */
export async function soon<T>(expected: string, promise: Promise<T>): Promise<T> {
  const patience = patienceMs();
  const waiting = new AbortController();
  const late = setTimeout(patience, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`within ${Math.round(patience / 1000)} s this did not come true: ${expected}`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    waiting.abort();
  }
}
