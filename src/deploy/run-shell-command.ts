import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { stripVTControlCharacters } from 'node:util';
import { childEnvironment } from '../child-environment.js';
import { messageOf } from '../errors.js';
import { lowerPriority } from '../fs/process-priority.js';

/** A shell command to run, such as a site's build or a deploy. */
export interface ShellRun {
  /** A shell command, such as `npm run build`. */
  readonly command: string;
  /** The site's folder. */
  readonly cwd: string;
  /** The environment; `childEnvironment` decides what is passed on. */
  readonly env: NodeJS.Dict<string>;
  /** Variables for this run, over `env`; Pressmark's own are allowed here. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether to run at low priority. @default false */
  readonly background?: boolean;
  /** How long the command may take, in milliseconds. @default 600000 */
  readonly timeoutMs?: number;
  /** Ends the command. */
  readonly signal?: AbortSignal;
  /** Called with each chunk of the command's output. */
  onOutput?(chunk: Buffer): void;
}

/** The result of a command. `output` is the end of its output, at most 64 KB. */
export type ShellResult =
  | { readonly kind: 'succeeded'; readonly ms: number; readonly output: string }
  | {
      readonly kind: 'failed';
      readonly ms: number;
      readonly output: string;
      /** Null if a signal ended the command, or it could not be started. */
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | {
      readonly kind: 'timed-out';
      readonly ms: number;
      readonly output: string;
      readonly timeoutMs: number;
    };

/** See `runShellCommand`. */
export type RunShellCommand = (run: ShellRun) => Promise<ShellResult>;

const TIMEOUT_MS = 600_000;

/** How much of the output is kept, in bytes. */
const MOST_KEPT = 65_536;

/** How long a command may take to end after SIGTERM, in milliseconds. */
const GRACE_MS = 3_000;

/** How long output is read after the command's end, if a background process keeps it open, in milliseconds. */
const DRAIN_MS = 500;

/**
 * Runs the command in `$0` next to a process that kills the group when Pressmark is gone, even after `kill -9`: it reads a pipe
 * whose other end only Pressmark has. Eleventy, for one, would otherwise loop endlessly, reporting that nobody reads its
 * output.
 */
const WATCHED = '{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 & exec 3<&-; exec sh -c "$0"';

/**
 * Runs a command in a shell, in its own process group. When this returns, no process of the group is left. A failed command is
 * a result and not an error.
 */
export const runShellCommand: RunShellCommand = (run) => {
  const started = performance.now();
  const timeoutMs = run.timeoutMs ?? TIMEOUT_MS;
  let tail: Buffer = Buffer.alloc(0);
  const keep = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-MOST_KEPT);
  };
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', WATCHED, run.command], {
      cwd: run.cwd,
      env: { ...childEnvironment(run.env), ...run.variables },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    if (run.background === true && child.pid !== undefined) lowerPriority(child.pid);
    const watch = child.stdio[3];
    if (watch instanceof Socket) watch.resume(); // its end is seen only where it is read
    let timedOut = false;
    let ending: NodeJS.Timeout | undefined;
    let draining: NodeJS.Timeout | undefined;
    let settled = false;

    const stop = () => {
      signalGroup(child, 'SIGTERM');
      ending ??= setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    const onExit = () => signalGroup(child, 'SIGKILL'); // Pressmark itself ends
    process.once('exit', onExit);
    run.signal?.addEventListener('abort', stop);
    if (run.signal?.aborted === true) stop();

    const settle = (exitCode: number | null, signal: string | null) => {
      if (settled) return;
      settled = true;
      for (const timeout of [timer, ending, draining]) clearTimeout(timeout);
      process.off('exit', onExit);
      run.signal?.removeEventListener('abort', stop);
      for (const stream of [child.stdout, child.stderr, watch]) stream?.destroy();
      const ms = Math.round(performance.now() - started);
      const output = tail.toString('utf8').replace(/^\ufffd+/, ''); // not from within a character
      if (timedOut) resolve({ kind: 'timed-out', ms, output, timeoutMs });
      else if (exitCode === 0) resolve({ kind: 'succeeded', ms, output });
      else resolve({ kind: 'failed', ms, output, exitCode, signal });
    };

    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        keep(chunk);
        run.onOutput?.(chunk);
      });
    child.once('error', (error) => {
      keep(Buffer.from(messageOf(error)));
      settle(null, null);
    });
    child.once('exit', (exitCode, signal) => {
      // Background processes of the command would change files after its end.
      signalGroup(child, 'SIGKILL');
      // A process that has left the group may keep the output open forever.
      draining = setTimeout(() => settle(exitCode, signal), DRAIN_MS);
    });
    child.once('close', settle);
  });
};

/** Removes git's variables for a build in a copy, as they would refer to the site's own repository. */
export function withoutGitVariables(env: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}

/** A sentence about a command's failure, with the end of its output. */
export function shellFailure(
  what: 'build command' | 'deploy command' | 'command',
  command: string,
  result: Exclude<ShellResult, { kind: 'succeeded' }>,
): string {
  const how =
    result.kind === 'timed-out'
      ? `was ended after ${Math.round(result.timeoutMs / 1_000)} s`
      : result.exitCode !== null
        ? `ended with exit code ${result.exitCode}`
        : result.signal !== null
          ? `was ended by ${result.signal}`
          : 'could not be started';
  const end = readableEnd(result.output);
  return `the ${what} ${JSON.stringify(command)} ${how}${end === '' ? '; it printed nothing' : `:\n${end}`}`;
}

/** A line of a stack trace of Ruby, Node.js or Eleventy. Ruby's traces follow the error, and are longer than what is kept. */
const LONGEST_FRAME = 1_000;
const STACK_FRAME = /^(?:\[11ty\])?\s+(?:from .+:\d+:in .+|at .+:\d+\)?)$/;

/** The last lines of a command's output, without stack traces and colours. */
export function readableEnd(output: string): string {
  const lines = stripVTControlCharacters(output).replaceAll('\t', '  ').trimEnd().split(/\r?\n/);
  return lines
    .filter((line) => line.length > LONGEST_FRAME || !STACK_FRAME.test(line))
    .slice(-20)
    .join('\n');
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // all its processes have ended
  }
}
