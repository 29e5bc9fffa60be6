import { PressmarkError } from '../../errors.js';
import type { GitAnswer, GitRun } from '../cli/git.js';

/** How a command is run: its limits, and the callback for its output. */
export type LongRun = Pick<GitRun, 'signal' | 'timeoutMs' | 'onOutput'>;

/** One long git command at a time; see `createLongCommand`. */
export interface LongCommand {
  /**
   * Runs a command, or joins the one with the same key that is under way. A command with another key waits until that
   * one has ended.
   *
   * @param waitMs how long the caller waits, in milliseconds; the command goes on afterwards.
   * @returns the answer, and whether it is that of a command which had begun before.
   * @throws PressmarkError REMOTE_UNAVAILABLE where the time is up; and what `start` throws.
   */
  run(key: string, start: (run: LongRun) => Promise<GitAnswer>, waitMs: number): Promise<LongAnswer>;
}

/** See `LongCommand`. */
export interface LongAnswer {
  readonly answer: GitAnswer;
  readonly isJoined: boolean;
}

interface UnderWay {
  readonly key: string;
  readonly answer: Promise<GitAnswer>;
  readonly stop: AbortController;
  /** When the command last wrote something, by `performance.now()`. */
  lastOutput: number;
}

/** A command without output for so long may talk to a connection that is dead, in milliseconds. */
const SILENT_MS = 10_000;

/**
 * Bounds those who wait for a command, not the command: a fetch or a push that takes minutes succeeds in the end,
 * although each caller waits for some seconds only.
 *
 * A command without output does not keep others from trying: they run at the same time, stopped when their time is up. As
 * soon as one of them succeeds, the silent one is stopped.
 *
 * @param longestMs how long a command may take, in milliseconds.
 */
export function createLongCommand(name: string, longestMs: number, silentMs = SILENT_MS): LongCommand {
  let underWay: UnderWay | undefined;

  function begin(key: string, start: (run: LongRun) => Promise<GitAnswer>): UnderWay {
    const stop = new AbortController();
    const onOutput = () => {
      begun.lastOutput = performance.now();
    };
    const answer = start({ signal: stop.signal, timeoutMs: longestMs, onOutput });
    const begun: UnderWay = { key, answer, stop, lastOutput: performance.now() };
    const end = () => {
      if (underWay === begun) underWay = undefined;
    };
    // nobody may be waiting any more when it fails; the next attempt reports its own failure
    answer.then(end, end);
    underWay = begun;
    return begun;
  }

  async function run(key: string, start: (run: LongRun) => Promise<GitAnswer>, waitMs: number) {
    const until = performance.now() + waitMs;
    for (;;) {
      const left = until - performance.now();
      const before = underWay;
      if (before === undefined)
        return { answer: await within(begin(key, start).answer, left), isJoined: false };
      if (performance.now() - before.lastOutput >= silentMs) {
        const answer = await start({ timeoutMs: Math.max(1, left) });
        if (answer.code === 0) before.stop.abort();
        return { answer, isJoined: false };
      }
      if (before.key === key) return { answer: await within(before.answer, left), isJoined: true };
      const ended = before.answer.then(
        () => undefined,
        () => undefined, // that was reported to those who had begun it
      );
      await within(ended, left);
    }
  }

  async function within<T>(result: Promise<T>, ms: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = () =>
        reject(
          new PressmarkError('REMOTE_UNAVAILABLE', `${name} takes its time; git goes on in the background`),
        );
      timer = setTimeout(fail, Math.max(0, ms));
    });
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return { run };
}
