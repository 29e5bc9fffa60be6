import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { childEnvironment } from '../child-environment.js';
import { PressmarkError } from '../errors.js';
import { lowerPriority } from '../fs/process-priority.js';

/** Where git commands run, and for how long. */
export interface GitOptions {
  readonly cwd: string;
  /** The environment; its GIT_* variables are dropped, since they could point elsewhere, and so are Pressmark's secrets. */
  readonly env: NodeJS.Dict<string>;
  /** Further settings, `name=value`. Those that Pressmark depends on come after them. */
  readonly settings?: readonly string[];
  /** Stops the commands that run. */
  readonly signal?: AbortSignal;
  /** How long one command may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
}

/** How one git command is run. */
export interface GitRun {
  /** The command's standard input; empty by default. */
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Exit codes besides 0 that are an answer, not a failure. */
  readonly accept?: readonly number[];
  /** How long this command may take, in milliseconds. @default that of `createGit` */
  readonly timeoutMs?: number;
  /** Variables that are added to the environment. */
  readonly env?: NodeJS.Dict<string>;
  /** Whether the command runs at a low priority; not for commands that hold a lock. */
  readonly background?: boolean;
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

/** The words of a git that failed without saying why. */
export const SILENCE = 'git said nothing';

/** `git check-ignore` does not run with `GIT_LITERAL_PATHSPECS`. */
export const CHECK_IGNORE = ['--no-literal-pathspecs', 'check-ignore'];

/** How long one command may take by default, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How long a stopped git has to remove its locks, in milliseconds. */
const KILL_AFTER_MS = 2_000;

// The owner's hooks, daemons and housekeeping are not started from here; what is written is on the disk.
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.safecrlf=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'merge.autoStash=false',
  'submodule.recurse=false',
  'core.fsync=all',
  'core.fsyncMethod=fsync',
  // What is read of a log does not depend on how the owner likes to read it.
  'log.showSignature=false',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
  // Each loose object is synced by itself, so that thirty are written faster as a pack.
  'fastimport.unpackLimit=30',
  'fetch.unpackLimit=30',
];

/** Runs git commands, each of them as a child of this process. */
export function createGit({ cwd, env, settings = [], signal, timeoutMs }: GitOptions): Git {
  const environment = environmentOf(env);
  const options = [...settings, ...SETTINGS].flatMap((setting) => ['-c', setting]);

  return async function git(args, run = {}) {
    const limitMs = run.timeoutMs ?? timeoutMs ?? TIMEOUT_MS;
    const name = commandName(args);
    // In a process group of its own: Ctrl-C on a terminal must not stop the commits that the shutdown waits for.
    const child = spawn('git', [...options, ...args], {
      cwd,
      env: { ...environment, ...run.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = stopper(child);
    const timer = setTimeout(() => stop(`took longer than ${limitMs / 1_000} s`), limitMs);
    const onAbort = () => stop('was stopped');
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    try {
      if (run.background === true && child.pid !== undefined) lowerPriority(child.pid);
      const [[code], bytes, stderr] = await Promise.all([
        once(child, 'close'),
        collect(child.stdout),
        collect(child.stderr),
        feed(child, run.input ?? ''),
      ]);
      const said = forLog(stderr.toString('utf8'));
      if (stop.reason !== undefined) throw failure(`${name} ${stop.reason}`, said);
      if (code !== 0 && run.accept?.includes(code) !== true)
        throw failure(`${name} ended with exit code ${code ?? -1}`, said);
      return {
        code,
        bytes,
        // Decoded where it is asked for: it may be all versions of an article.
        get stdout() {
          return bytes.toString('utf8');
        },
        stderr: stderr.toString('utf8'),
      };
    } catch (error) {
      if (error instanceof PressmarkError) throw error;
      throw new PressmarkError('GIT_FAILED', `${name} could not be run`, { cause: error });
    } finally {
      clearTimeout(timer);
      stop.clear();
      signal?.removeEventListener('abort', onAbort);
    }
  };
}

/** The environment of each git command. */
function environmentOf(env: NodeJS.Dict<string>): NodeJS.Dict<string> {
  const kept = Object.entries(childEnvironment(env)).filter(
    ([name]) => !name.toUpperCase().startsWith('GIT_'),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

/**
 * Returns a function that ends a command with its children (filters, ssh): by SIGTERM, on which git removes its locks,
 * then by SIGKILL.
 */
function stopper(child: ChildProcess) {
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: string): void => {
    if (stop.reason !== undefined) return;
    stop.reason = reason;
    signalGroup(child, 'SIGTERM');
    timer = setTimeout(() => {
      signalGroup(child, 'SIGKILL');
      // A process that has left the group may hold the pipes open.
      for (const stream of child.stdio) stream?.destroy();
    }, KILL_AFTER_MS);
  };
  stop.reason = undefined as string | undefined;
  stop.clear = () => clearTimeout(timer);
  return stop;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // it had ended already
  }
}

function failure(message: string, said: string): PressmarkError {
  return new PressmarkError('GIT_FAILED', message, { cause: new Error(said) });
}

/** What git has said, as an error, where a command has failed; else the error itself. */
export function saidIn(error: unknown): unknown {
  return error instanceof PressmarkError && error.cause instanceof Error ? error.cause : error;
}

/** A command for messages, such as `git log`, without its options. */
function commandName(args: readonly string[]): string {
  return `git ${args.find((word) => /^[a-z][a-z-]*$/.test(word))}`;
}

/** What git has written to standard error, for a log: without credentials, and without the lines of a progress meter. */
function forLog(stderr: string): string {
  return redacted(stderr.replace(/[^\n]*\r/g, '').trim()).slice(0, 2_000) || SILENCE;
}

/** Takes user names and passwords out of URLs: what git says ends up in logs. */
export function redacted(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1***@');
}

async function collect(stream: Readable | null): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream ?? []) chunks.push(chunk);
  } catch {
    // a stopped command's output is cut off; its exit is what counts
  }
  return Buffer.concat(chunks);
}

async function feed(child: ChildProcess, input: string | Buffer | AsyncIterable<Buffer>): Promise<void> {
  if (child.stdin === null) return;
  try {
    const source = typeof input === 'string' || Buffer.isBuffer(input) ? [Buffer.from(input)] : input;
    await pipeline(Readable.from(source, { highWaterMark: 1 }), child.stdin);
  } catch {
    // a command that ends before it has read everything says why by its exit code
  }
}
