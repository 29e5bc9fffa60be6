import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PressmarkError } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';

/** How one git command is run. */
export interface GitRun {
  /** What it reads from standard input; nothing by default. */
  readonly input?: string | AsyncIterable<Buffer>;
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
  /** Leaves the processor to others; not for commands that run while a lock is held. */
  readonly background?: boolean;
  /** Told the process id. */
  onSpawn?(pid: number): void;
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

/** What stands for the words of a git that failed without any. */
export const SILENCE = 'git said nothing';

/** How far a command in the background stands back. */
const BACKGROUND_NICE = 10;

/** How long one command may take where nobody says otherwise, in milliseconds. */
const TIMEOUT_MS = 30_000;

// The owner's hooks, daemons and housekeeping are not started from here; what is written is on the disk.
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsync=all',
  'core.fsyncMethod=fsync',
].flatMap((setting) => ['-c', setting]);

/**
 * The one runner of git commands.
 *
 * @param options.cwd where they run.
 * @param options.safeDirectory the work tree that may belong to somebody else (git's `safe.directory`).
 * @param options.env the environment; its GIT_* variables are dropped, since they could point elsewhere.
 * @param options.signal kills whatever runs.
 * @param options.timeoutMs how long one command may take before it is killed. @default 30000
 */
export function createGit(options: {
  cwd: string;
  safeDirectory: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  timeoutMs?: number;
}): Git {
  const env = cleanEnvironment(options.env);
  const settings = [...SETTINGS, '-c', `safe.directory=${options.safeDirectory}`];

  return async function git(args, run = {}) {
    const name = `git ${args[0]}`;
    // a process group of its own: Ctrl-C on a terminal must not kill the commits that the shutdown waits for
    const child = spawn('git', [...settings, ...args], {
      cwd: options.cwd,
      env: {
        ...env,
        GIT_LITERAL_PATHSPECS: run.literalPaths === false ? '0' : '1',
        ...(run.indexFile !== undefined && { GIT_INDEX_FILE: run.indexFile }),
        ...run.env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      kill(child);
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
      if (child.pid !== undefined) {
        run.onSpawn?.(child.pid);
        if (run.background === true) lowerPriority(child.pid, BACKGROUND_NICE);
      }
      const stdout = collect(child.stdout, run.onOutput);
      const stderr = collect(child.stderr, run.onOutput);
      const [closed] = await Promise.all([once(child, 'close'), feed(child, run.input ?? '')]);
      const code = Number(closed[0] ?? -1);
      if (stopped === undefined && (code === 0 || run.accept?.includes(code) === true))
        return answerOf(code, await stdout);
      const cause = new Error(
        redacted(withoutProgress((await stderr).toString('utf8')).trim()).slice(0, 2_000) || SILENCE,
      );
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

/** Takes user names and passwords out of URLs: what git says ends up in logs. */
export function redacted(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1***@');
}

/** Takes out the lines of a progress meter, each of which overwrites the one before. */
function withoutProgress(text: string): string {
  return text.replace(/[^\n]*\r/g, '');
}

function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
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

async function collect(stream: Readable, onOutput?: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      onOutput?.();
    }
  } catch {
    // a stopped child's output is cut off; its exit is what counts
  }
  return Buffer.concat(chunks);
}

async function feed(child: ChildProcess, input: string | AsyncIterable<Buffer>): Promise<void> {
  if (child.stdin === null) return;
  try {
    if (typeof input === 'string') await pipeline(Readable.from([Buffer.from(input)]), child.stdin);
    else await pipeline(Readable.from(input, { highWaterMark: 1 }), child.stdin);
  } catch {
    // a command that ends before it has read everything says why by its exit code
  }
}

/** Ends the command and its children (filters, unpack-objects), and stops listening to them. */
function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it had ended already
  }
  for (const stream of child.stdio) stream?.destroy();
}
