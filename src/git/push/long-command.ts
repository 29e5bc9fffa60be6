import { PressmarkError } from '../../errors.js';
import { within } from '../../time-limit.js';
import type { GitRun } from '../git.js';

/** How a command is run: its limits, and the callback for its output. */
export type LongRun = Pick<GitRun, 'signal' | 'timeoutMs' | 'onOutput'>;

/** One long git command at a time; see `createLongCommand`. */
export interface LongCommand<A> {
  /**
   * Runs a command, or joins the one with the same key that is under way. A command with another key waits until that
   * one has ended.
   *
   * @param waitMs how long the caller waits, in milliseconds; the command goes on afterwards.
   * @returns the answer, and whether it is that of a command which had begun before.
   * @throws PressmarkError REMOTE_UNAVAILABLE where the time is up; and what `start` throws.
   */
  run(
    key: string,
    start: (run: LongRun) => Promise<A>,
    waitMs: number,
  ): Promise<{ readonly answer: A; readonly isJoined: boolean }>;
}

interface UnderWay<A> {
  readonly key: string;
  readonly answer: Promise<A>;
  readonly stop: AbortController;
  /** When the command last wrote something, by `performance.now()`. */
  lastOutput: number;
}

/** A command without output for so long may talk to a connection that is dead, in milliseconds. */
const SILENT_MS = 10_000;

/**
 * Bounds the callers that wait for a command, not the command: a fetch or a push that takes minutes succeeds in the
 * end, although each caller waits for some seconds only.
 *
 * A command without output does not keep others from trying: they run at the same time, and are stopped when their time
 * is up. As soon as one of them succeeds, the silent one is stopped.
 *
 * @param longestMs how long a command may take, in milliseconds.
 */
export function createLongCommand<A extends { readonly code: number }>(
  name: string,
  longestMs: number,
  silentMs = SILENT_MS,
): LongCommand<A> {
  let underWay: UnderWay<A> | undefined;

  function begin(key: string, start: (run: LongRun) => Promise<A>): UnderWay<A> {
    const stop = new AbortController();
    const onOutput = () => {
      begun.lastOutput = performance.now();
    };
    const answer = start({ signal: stop.signal, timeoutMs: longestMs, onOutput });
    const begun: UnderWay<A> = { key, answer, stop, lastOutput: performance.now() };
    const end = () => {
      if (underWay === begun) underWay = undefined;
    };
    // There may be no caller any more when it fails; the next attempt reports its own failure.
    answer.then(end, end);
    underWay = begun;
    return begun;
  }

  async function run(key: string, start: (run: LongRun) => Promise<A>, waitMs: number) {
    const until = performance.now() + waitMs;
    for (;;) {
      const remainingMs = until - performance.now();
      const before = underWay;
      if (before === undefined)
        return { answer: await within(remainingMs, begin(key, start).answer, throwTimeUp), isJoined: false };
      if (performance.now() - before.lastOutput >= silentMs) {
        const answer = await start({ timeoutMs: Math.max(1, remainingMs) });
        if (answer.code === 0) before.stop.abort();
        return { answer, isJoined: false };
      }
      if (before.key === key)
        return { answer: await within(remainingMs, before.answer, throwTimeUp), isJoined: true };
      const ended = before.answer.then(
        () => undefined,
        () => undefined, // reported to the callers that have begun it
      );
      await within(remainingMs, ended, throwTimeUp);
    }
  }

  function throwTimeUp(): never {
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} takes its time; git goes on in the background`);
  }

  return { run };
}
