import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { childEnvironment } from '../child-environment.js';
import { PressmarkError } from '../errors.js';
import { lowerPriority } from '../fs/process-priority.js';

/** Options for all commands of `createGit`. */
export interface GitOptions {
  readonly cwd: string;
  /** The environment. Its GIT_* variables, which could name another repository, and Pressmark's secrets are dropped. */
  readonly env: NodeJS.Dict<string>;
  /** Additional settings, `name=value`. The settings that Pressmark depends on take precedence. */
  readonly settings?: readonly string[];
  /** Stops the running commands. */
  readonly signal?: AbortSignal;
  /** How long one command may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
}

/** Options for one git command. */
export interface GitRun {
  /** The command's standard input; empty by default. */
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Exit codes besides 0 that are not failures. */
  readonly accept?: readonly number[];
  /** How long this command may take, in milliseconds. @default the limit of `createGit` */
  readonly timeoutMs?: number;
  /** Additional environment variables. */
  readonly env?: NodeJS.Dict<string>;
  /** Whether the command runs at a low priority; not for commands that hold a lock. */
  readonly background?: boolean;
}

/** The output of a successful git command. Output on standard error is not a failure. */
export interface GitAnswer {
  readonly code: number;
  /** Standard output as UTF-8. */
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as bytes. */
  readonly bytes: Buffer;
}

/**
 * Runs one git command without a shell.
 *
 * @throws PressmarkError GIT_FAILED; its `cause` is git's message, which may contain paths of the machine.
 */
export type Git = (args: readonly string[], run?: GitRun) => Promise<GitAnswer>;

/** The message for a git command that failed without output. */
export const SILENCE = 'git said nothing';

/** `git check-ignore` fails with `GIT_LITERAL_PATHSPECS`. */
export const CHECK_IGNORE = ['--no-literal-pathspecs', 'check-ignore'];

/** How long one command may take by default, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** How long a stopped git has to remove its locks, in milliseconds. */
const KILL_AFTER_MS = 2_000;

// Commands do not start the owner's hooks, daemons or housekeeping, and sync all files that they write.
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
  // The output of `git log` must not depend on the owner's preferences.
  'log.showSignature=false',
  'log.follow=false',
  'i18n.logOutputEncoding=UTF-8',
  // Each loose object is synced separately; from thirty on, a pack is faster.
  'fastimport.unpackLimit=30',
  'fetch.unpackLimit=30',
];

/** Returns a function that runs git commands as child processes. */
export function createGit({ cwd, env, settings = [], signal, timeoutMs }: GitOptions): Git {
  const environment = environmentOf(env);
  const options = [...settings, ...SETTINGS].flatMap((setting) => ['-c', setting]);

  return async function git(args, run = {}) {
    const limitMs = run.timeoutMs ?? timeoutMs ?? TIMEOUT_MS;
    const name = commandName(args);
    // In a separate process group, so that Ctrl-C on a terminal does not stop the commits that the shutdown waits for.
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
        // Decoded on demand, as it may be all versions of an article.
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

/** Makes the environment for git commands. */
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
 * Returns a function that stops a command and its children (filters, ssh): with SIGTERM, on which git removes its locks, then
 * with SIGKILL.
 */
function stopper(child: ChildProcess) {
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: string): void => {
    if (stop.reason !== undefined) return;
    stop.reason = reason;
    signalGroup(child, 'SIGTERM');
    timer = setTimeout(() => {
      signalGroup(child, 'SIGKILL');
      // A process that has left the group may keep the pipes open.
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

/** Returns git's message as an error, if a command has failed; else the error itself. */
export function saidIn(error: unknown): unknown {
  return error instanceof PressmarkError && error.cause instanceof Error ? error.cause : error;
}

/** Returns a command's name for messages, such as `git log`. */
function commandName(args: readonly string[]): string {
  return `git ${args.find((word) => /^[a-z][a-z-]*$/.test(word))}`;
}

/** Prepares git's standard error for a log: removes credentials and progress lines. */
function forLog(stderr: string): string {
  return redacted(stderr.replace(/[^\n]*\r/g, '').trim()).slice(0, 2_000) || SILENCE;
}

/** Removes user names and passwords from URLs, as git's messages are logged. */
export function redacted(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/?#]*@/g, '$1***@');
}

async function collect(stream: Readable | null): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream ?? []) chunks.push(chunk);
  } catch {
    // The output of a stopped command is incomplete; its exit code counts.
  }
  return Buffer.concat(chunks);
}

async function feed(child: ChildProcess, input: string | Buffer | AsyncIterable<Buffer>): Promise<void> {
  if (child.stdin === null) return;
  try {
    const source = typeof input === 'string' || Buffer.isBuffer(input) ? [Buffer.from(input)] : input;
    await pipeline(Readable.from(source, { highWaterMark: 1 }), child.stdin);
  } catch {
    // If a command ends before it has read all input, its exit code says why.
  }
}
