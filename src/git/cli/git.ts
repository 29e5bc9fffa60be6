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
import { createLauncher } from './launcher.js';

export { redacted, SILENCE };

/** How one git command is run. */
export interface GitRun {
  /** What it reads from standard input; nothing by default. */
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Whether the input itself says where it ends, as a pack does. @default false */
  readonly isDelimited?: boolean;
  /** Another index than the work tree's own. */
  readonly indexFile?: string;
  /** False for the commands that refuse to be told that no path is a pattern. @default true */
  readonly literalPaths?: boolean;
  /** Exit codes beside 0 that are an answer and no failure. */
  readonly accept?: readonly number[];
  /** How long this command may take, in milliseconds. @default what `createGit` was told */
  readonly timeoutMs?: number;
  /** Kills this command. */
  readonly signal?: AbortSignal | undefined;
  /** Laid over the environment. */
  readonly env?: NodeJS.Dict<string>;
  /** How old an answer to the same command may be that is given again, in milliseconds. @default 0 */
  readonly maxAgeMs?: number;
  /** Leaves the processor to others; not for commands that run while a lock is held. */
  readonly background?: boolean;
  /** Told whenever the command writes something: a sign of life. */
  onOutput?(): void;
}

/** What a git command that did not fail said; what it wrote to standard error is no failure. */
export interface GitAnswer {
  readonly code: number;
  /** Standard output as UTF-8. */
  readonly stdout: string;
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

/** The one runner of git commands. Each of them is a child of this process. */
export function createGit(options: GitOptions): Git {
  const env = environmentOf(options);
  const settings = settingsOf(options);

  return async function git(args, run = {}) {
    const name = `git ${args[0]}`;
    const child = startGroup('git', [...settings, ...args], {
      cwd: options.cwd,
      env: {
        ...env,
        ...(run.literalPaths === false && { GIT_LITERAL_PATHSPECS: '0' }),
        ...(run.indexFile !== undefined && { GIT_INDEX_FILE: run.indexFile }),
        ...run.env,
      },
    });
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      killGroup(child);
    };
    const abort = () => stop('was stopped');
    const ms = run.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS;
    const timer = setTimeout(() => stop(`took longer than ${ms / 1_000} s`), ms);
    const signals = [options.signal, run.signal].filter((signal) => signal !== undefined);
    for (const signal of signals) {
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
    }
    try {
      if (run.background === true && child.pid !== undefined) lowerPriority(child.pid, BACKGROUND_NICE);
      const stdout = collect(child.stdout, run.onOutput);
      const stderr = collect(child.stderr, run.onOutput);
      const [closed] = await Promise.all([once(child, 'close'), feed(child, run.input ?? '')]);
      const code = Number(closed[0] ?? -1);
      if (stopped === undefined && (code === 0 || run.accept?.includes(code) === true))
        return answerOf(code, await stdout);
      const cause = new Error(outputForPeople((await stderr).toString('utf8')));
      throw new PressmarkError('GIT_FAILED', `${name} ${stopped ?? `ended with exit code ${code}`}`, {
        cause,
      });
    } catch (error) {
      if (error instanceof PressmarkError) throw error;
      throw new PressmarkError('GIT_FAILED', `${name} could not be run`, { cause: error });
    } finally {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
    }
  };
}

/**
 * The same for many short commands: they are children of a lasting shell, which starts them sooner (`createLauncher`).
 * Those that run for long, or beside other work, are children of this process as well here.
 */
export function createLaunchedGit(options: GitOptions): Git {
  const git = createGit(options);
  const launcher = createLauncher(options);
  const earlier = new Map<string, { readonly answer: GitAnswer; readonly at: number }>();

  return async function launchedGit(args, run = {}) {
    if (run.maxAgeMs === undefined) return launch(args, run);
    const key = args.join('\0');
    const known = earlier.get(key);
    if (known !== undefined && performance.now() - known.at < run.maxAgeMs) return known.answer;
    const answer = await launch(args, run);
    earlier.set(key, { answer, at: performance.now() });
    return answer;
  };

  async function launch(args: readonly string[], run: GitRun): Promise<GitAnswer> {
    const { input = '', isDelimited = false, indexFile, literalPaths = true, signal } = run;
    const isShort = !run.background && !run.onOutput && !run.env;
    if (!isShort || !(typeof input === 'string' || Buffer.isBuffer(input))) return git(args, run);
    const command = { args, input, isDelimited, indexFile, literalPaths };
    if (!launcher.accepts(command)) return git(args, run);
    const { code, stdout, stderr } = await launcher.run(command, {
      timeoutMs: run.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
      signals: [options.signal, signal].filter((one) => one !== undefined),
    });
    if (code === 0 || run.accept?.includes(code) === true) return answerOf(code, stdout);
    const cause = new Error(outputForPeople(stderr));
    throw new PressmarkError('GIT_FAILED', `git ${args[0]} ended with exit code ${code}`, { cause });
  }
}

function answerOf(code: number, bytes: Buffer): GitAnswer {
  let text: string | undefined;
  return {
    code,
    bytes,
    get stdout() {
      text ??= bytes.toString('utf8');
      return text;
    },
  };
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
