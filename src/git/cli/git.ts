import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PressmarkError } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import {
  environmentOf,
  type GitPlace,
  killGroup,
  outputForPeople,
  redacted,
  SILENCE,
  settingsOf,
  startGroup,
} from './git-process.js';
import type { RequestLimits } from './long-running-process.js';

export { redacted, SILENCE };

/** How one git command is run. */
export interface GitRun {
  /** What it reads from standard input; nothing by default. */
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Another index than the work tree's own. */
  readonly indexFile?: string;
  /** Exit codes besides 0 that are an answer, not a failure. */
  readonly accept?: readonly number[];
  /** How long this command may take, in milliseconds. @default the limit that `createGit` was given */
  readonly timeoutMs?: number;
  /** Kills this command. */
  readonly signal?: AbortSignal | undefined;
  /** Laid over the environment. */
  readonly env?: NodeJS.Dict<string>;
  /** Leaves the processor to others; not for commands that run while a lock is held. */
  readonly background?: boolean;
  /** Called whenever the command writes something: a sign of life. */
  onOutput?(): void;
}

/** The output of a git command that did not fail. Output on standard error is not a failure. */
export interface GitAnswer {
  readonly code: number;
  /** Standard output as UTF-8. */
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as it came. */
  readonly bytes: Buffer;
}

/**
 * Runs one git command, its arguments as an array, never through a shell.
 *
 * @throws PressmarkError GIT_FAILED; its `cause` holds what git said, which may name paths of the machine.
 */
export type Git = (args: readonly string[], run?: GitRun) => Promise<GitAnswer>;

/** How far a command in the background stands back. */
const BACKGROUND_NICE = 10;

/** How long one command may take where nobody says otherwise, in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** Where git commands run, and for how long. */
export interface GitOptions extends GitPlace {
  /** Kills whatever runs. */
  readonly signal?: AbortSignal;
  /** How long one command may take before it is killed, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
}

/** The exit code of a command, and what it wrote. */
export interface GitExit {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git commands, each of them as a child of this process. */
export function createGit(options: GitOptions): Git {
  const env = environmentOf(options);
  const settings = settingsOf(options);

  return async function git(args, run = {}) {
    const name = nameOf(args);
    const child = startGroup('git', [...settings, ...args], {
      cwd: options.cwd,
      env: { ...env, ...(run.indexFile !== undefined && { GIT_INDEX_FILE: run.indexFile }), ...run.env },
    });
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      killGroup(child);
    };
    const abort = () => stop('was stopped');
    const { timeoutMs, signals } = limitsOf(run, options);
    const timer = setTimeout(() => stop(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
    for (const signal of signals) {
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    }
    try {
      if (run.background === true && child.pid !== undefined) lowerPriority(child.pid, BACKGROUND_NICE);
      const stdout = collect(child.stdout, run.onOutput);
      const stderr = collect(child.stderr, run.onOutput);
      const [closed] = await Promise.all([once(child, 'close'), feed(child, run.input ?? '')]);
      const exit = {
        code: Number(closed[0] ?? -1),
        stdout: await stdout,
        stderr: (await stderr).toString('utf8'),
      };
      if (stopped !== undefined) throw failure(`${name} ${stopped}`, exit);
      return answerOf(args, run, exit);
    } catch (error) {
      if (error instanceof PressmarkError) throw error;
      throw new PressmarkError('GIT_FAILED', `${name} could not be run`, { cause: error });
    } finally {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
    }
  };
}

/** How long a command may take, and what stops it. */
export function limitsOf({ timeoutMs, signal }: GitRun, options: GitOptions): RequestLimits {
  return {
    timeoutMs: timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
    signals: [options.signal, signal].filter((one) => one !== undefined),
  };
}

/** A command's answer. @throws PressmarkError GIT_FAILED where its exit code says that it has failed. */
export function answerOf(args: readonly string[], { accept = [] }: GitRun, exit: GitExit): GitAnswer {
  const { code, stdout: bytes, stderr } = exit;
  if (code !== 0 && !accept.includes(code))
    throw failure(`${nameOf(args)} ended with exit code ${code}`, exit);
  let text: string | undefined;
  return {
    code,
    bytes,
    stderr,
    get stdout() {
      text ??= bytes.toString('utf8');
      return text;
    },
  };
}

function failure(message: string, { stderr }: GitExit): PressmarkError {
  return new PressmarkError('GIT_FAILED', message, { cause: new Error(outputForPeople(stderr)) });
}

/** A command for messages, such as `git log`, without its options. */
export function nameOf(args: readonly string[]): string {
  return `git ${args.find((word) => /^[a-z][a-z-]*$/.test(word))}`;
}

async function collect(stream: Readable | null, onOutput?: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream ?? []) {
      chunks.push(chunk);
      onOutput?.();
    }
  } catch {
    // a stopped child's output is cut off; its exit is what counts
  }
  return Buffer.concat(chunks);
}

async function feed(child: ChildProcess, input: string | Buffer | AsyncIterable<Buffer>): Promise<void> {
  if (child.stdin === null) return;
  try {
    if (typeof input === 'string' || Buffer.isBuffer(input))
      await pipeline(Readable.from([Buffer.from(input)]), child.stdin);
    else await pipeline(Readable.from(input, { highWaterMark: 1 }), child.stdin);
  } catch {
    // a command that ends before it has read everything says why by its exit code
  }
}
