import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext, TestFn } from 'ava';
import { type Client, type ClientOptions, createClient } from './client.js';
import { SECRET } from './signer.js';
import { storeOnly } from './store-only.js';
import { shared, type Teardown } from './teardown.js';
import { tempDir } from './temp-dir.js';
import { patienceMs, soon, until } from './until.js';

/** The program that is tested, as it is shipped. */
export const PROGRAM = fileURLToPath(new URL('../../pressmark/bin.cjs', import.meta.url));

/** The URL of the test receivers' sites. */
export const SITE_URL = 'https://garden.example';

/** Gives the details of /healthz. */
export const STATUS_TOKEN = 'token-of-the-owner';

/** The details of a receiver's /healthz. */
export async function healthDetails(origin: string): Promise<unknown> {
  // Without `close`, fetch may reuse a connection that the receiver has closed while git commands of a test held this process up.
  const headers = { Authorization: `Bearer ${STATUS_TOKEN}`, Connection: 'close' };
  return (await fetch(`${origin}/healthz?verbose`, { headers })).json();
}

/** A line of the receiver's log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [key: string]: unknown;
}

export interface ReceiverOptions extends ClientOptions {
  /** Builds no pages and makes no commits, which saves time in tests that check only the store and the answers. */
  readonly storeOnly?: boolean;
  /** The site's config. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Overrides environment variables; undefined omits a variable. */
  readonly env?: NodeJS.Dict<string>;
  /** The program, where it is installed in the site's folder. @default PROGRAM */
  readonly program?: string;
  /** A module that is loaded before the program. */
  readonly preload?: string;
  /** A command that runs the program, such as strace with its arguments. */
  readonly wrapper?: readonly string[];
  /** Further arguments. */
  readonly args?: readonly string[];
  /** The endpoint of the site's config. @default '/webhook' */
  readonly endpoint?: string;
  /** @default one that the system chooses */
  readonly port?: number;
  /** The IP address at which it listens. @default '127.0.0.1' */
  readonly address?: string;
  /** The status of /healthz once it has started; `any` where that depends on how fast the machine is. @default 200 */
  readonly health?: number | 'any';
  /** Kills the receiver when the signal is aborted, even before its first answer. */
  readonly signal?: AbortSignal;
}

/** A receiver in its own process. */
export interface Receiver extends Client {
  readonly dir: string;
  /** `http://<address>:<port>`. */
  readonly origin: string;
  readonly port: number;
  readonly pid: number | undefined;
  readonly log: readonly LogLine[];
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  stderr(): string;
  /** Sends a signal that ends the process, and waits for its end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal that stops it gracefully, and waits for its end. @returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The result of a program that ends by itself. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Writes the site's config, where there is one. */
export function configure(dir: string, options: Pick<ReceiverOptions, 'storeOnly' | 'config'>): void {
  if (options.storeOnly) storeOnly(dir);
  if (options.config !== undefined)
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(options.config));
}

/** Starts a receiver on a site's folder and waits until it answers. The caller must stop it. */
export async function launch(dir: string, options: ReceiverOptions = {}): Promise<Receiver> {
  configure(dir, options);
  const child = spawnStart(dir, options);
  const exited = once(child, 'exit');
  const closed = once(child, 'close');
  // A wrapper starts the program as a second process, so the signal goes to the whole process group.
  const send = (signal: NodeJS.Signals) => {
    if (options.wrapper === undefined || child.pid === undefined) child.kill(signal);
    else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
  };
  const abort = () => send('SIGKILL');
  options.signal?.addEventListener('abort', abort);
  child.once('exit', () => options.signal?.removeEventListener('abort', abort));
  const log: LogLine[] = [];
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const port = await new Promise<number>((resolve, reject) => {
    if (child.stdout === null) throw new Error('standard output is not a pipe');
    const late = setTimeout(() => {
      send('SIGKILL');
      reject(new Error(`the receiver was not ready in time: ${JSON.stringify(log)} ${stderr}`));
    }, patienceMs());
    let rest = '';
    // Not with readline, which also splits lines at a U+2028 in an id.
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.map(parsedLine)) {
        log.push(line);
        if (line.msg !== 'ready') continue;
        clearTimeout(late);
        resolve(Number(line.port));
      }
    });
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`the receiver ended with ${code}: ${stderr}`));
    });
  });
  const origin = `http://${options.address ?? '127.0.0.1'}:${port}`;
  // What is asked next shall not find a connection that the receiver is about to close because it was idle.
  const health = await fetch(`${origin}/healthz`, { headers: { Connection: 'close' } }).catch(
    (error: unknown) => {
      send('SIGKILL');
      throw error;
    },
  );
  const text = await health.text();
  const { health: expected = 200 } = options;
  if (expected !== 'any' && health.status !== expected) {
    send('SIGKILL');
    throw new Error(`healthz: ${health.status} ${text}`);
  }

  return {
    ...createClient(`${origin}${options.endpoint ?? '/webhook'}`, options),
    dir,
    origin,
    port,
    pid: child.pid,
    log,
    ended: exited,
    stderr: () => stderr,
    signal: send,
    kill: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) send(signal);
      await soon(`the receiver ends after ${signal}`, exited);
      // The wrapper has ended, but its program may still write files.
      if (options.wrapper !== undefined)
        await until('the wrapped program ends', () => !isGroupAlive(child.pid));
    },
    stop: async (signal = 'SIGTERM') => {
      send(signal);
      // By `close`: the last lines of the log may still be in the pipe when the process has ended.
      await soon(`the receiver ends after ${signal}`, closed);
      return child.exitCode;
    },
  };
}

function isGroupAlive(leader: number | undefined): boolean {
  if (leader === undefined) return false;
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

/** A folder in a site whose programs come before those of the machine, such as a generator that does not run. */
export const OWN_PROGRAMS = '.git/programs';

function spawnStart(
  dir: string,
  {
    env = {},
    program = PROGRAM,
    preload,
    wrapper = [],
    args: further = [],
    port = 0,
    address,
  }: ReceiverOptions,
): ChildProcess {
  const [command = process.execPath, ...args] = [
    ...wrapper,
    process.execPath,
    ...(preload === undefined ? [] : ['--import', preload]),
    program,
    'start',
    '--dir',
    dir,
    '--port',
    String(port),
    ...further,
  ];
  return spawn(command, args, {
    env: {
      ...bareEnvironment(),
      NODE_OPTIONS: NODE_OPTIONS_OF_TESTS,
      PATH: `${join(dir, OWN_PROGRAMS)}:${process.env.PATH}`,
      PRESSMARK_SECRET: SECRET,
      PRESSMARK_SITE_URL: SITE_URL,
      PRESSMARK_STATUS_TOKEN: STATUS_TOKEN,
      ...(address !== undefined && { PRESSMARK_HOST: address }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: wrapper.length > 0,
  });
}

/** The few environment variables that a program needs, without any settings of the tester. */
export function bareEnvironment(): NodeJS.Dict<string> {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR };
}

/** What the program loads before itself in tests. Not in benchmarks and torture, which AVA does not run. */
export const NODE_OPTIONS_OF_TESTS = ['./few-optimised.js', './normal-priority.js']
  .map((name) => `--import=${import.meta.resolve(name)}`)
  .filter(() => process.env.NODE_ENV === 'test')
  .join(' ');

/** The program in a process of its own, with what it has printed so far. */
interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly printed: { stdout: string; stderr: string };
  /** Resolves when it has ended. @throws Error if that takes too long. */
  ended(): Promise<Ended>;
}

/** Starts the program. @param said is called with all that it has printed, whenever it has printed something. */
export function startProgram(
  args: readonly string[],
  env: NodeJS.Dict<string> = {},
  said: (printed: Running['printed'], child: ChildProcessWithoutNullStreams) => void = () => undefined,
): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...bareEnvironment(), NODE_OPTIONS: NODE_OPTIONS_OF_TESTS, ...env },
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      said(printed, child);
    });
  const closed = once(child, 'close');
  return {
    child,
    printed,
    ended: async () => {
      const slow = setTimeout(() => child.kill('SIGKILL'), patienceMs());
      await closed;
      clearTimeout(slow);
      if (child.exitCode === null)
        throw new Error(
          `pressmark ${args.join(' ')} did not end in time: ${printed.stdout} ${printed.stderr}`,
        );
      return { code: child.exitCode, ...printed };
    },
  };
}

/** Runs the program and waits until it ends by itself. */
export function run(args: readonly string[], env: NodeJS.Dict<string> = {}): Promise<Ended> {
  // Tests that examine their sites at the same time must not try the same port.
  const { child, ended } = startProgram(args, { ...(args[0] === 'doctor' && { PORT: '0' }), ...env });
  child.stdin.end();
  return ended();
}

/** How a receiver ends after its tests: at once, but where coverage is measured, which a process writes when it ends by itself. */
const LAST_SIGNAL = process.env.NODE_V8_COVERAGE === undefined ? 'SIGKILL' : 'SIGTERM';

/** How many lines of a receiver’s log a failed test shows. */
export const LINES_SHOWN = 30;

/** Starts a receiver that is killed after the test; in a new folder unless `dir` is given. A failed test shows its log. */
export async function startReceiver(
  t: Teardown & Partial<Pick<ExecutionContext, 'passed' | 'log'>>,
  options: ReceiverOptions & { readonly dir?: string } = {},
): Promise<Receiver> {
  const dir = options.dir ?? tempDir(t);
  const receiver = await launch(dir, options);
  t.teardown(async () => {
    await receiver.kill(LAST_SIGNAL);
    if (t.passed !== false) return;
    for (const line of receiver.log.slice(-LINES_SHOWN)) t.log?.(JSON.stringify(line));
    t.log?.(receiver.stderr());
  });
  return receiver;
}

/** The options of the receivers in most tests of the contract. */
export const STORE_ONLY: ReceiverOptions = { storeOnly: true };

/** Starts one receiver for all tests of a file. @returns a function that returns it. */
export function sharedReceiver(test: TestFn, options: ReceiverOptions = {}): () => Receiver {
  return shared(test, (t) => startReceiver(t, options));
}

/** @throws Error if a line of the log names a key twice: a reader of JSON would see the last value alone. */
function parsedLine(text: string): LogLine {
  const line: LogLine = JSON.parse(text);
  const isLonger = !text.includes('\\') && text.length > JSON.stringify(line).length;
  if (isLonger) throw new Error(`a line of the log names a key twice: ${text}`);
  return line;
}
