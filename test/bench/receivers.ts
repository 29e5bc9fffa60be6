import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.js';
import { SECRET } from './deliveries.js';

const BARE = fileURLToPath(new URL('bare-receiver.js', import.meta.url));
const OURS = fileURLToPath(new URL('../../pressmark/bin.cjs', import.meta.url));

/** A receiver in a process of its own. */
export interface Receiver {
  readonly port: number;
  readonly pid: number;
  /** The processor time of the thread that answers, in milliseconds; NaN but on Linux. */
  workMs(): number;
  /** Stops it as an operator would; resolves with the milliseconds that took. */
  stop(): Promise<number>;
}

/** Starts the bare receiver. */
export function startBare(folder: string): Promise<Receiver> {
  return start((port) => [BARE, String(port), folder]);
}

/** Starts Pressmark in a site's folder, as its command line does it. */
export function startOurs(site: string, env: NodeJS.Dict<string> = {}): Promise<Receiver> {
  return start((port) => [OURS, 'start', '--dir', site, '--port', String(port)], env);
}

/** Starts `pressmark listen` in front of a receiver. */
export function startListen(dir: string, forwardTo: string): Promise<Receiver> {
  return start((port) => [OURS, 'listen', '--dir', dir, '--port', String(port), '--forward-to', forwardTo]);
}

/** Makes a site's folder: bare of git and site, or with both as they are by default. */
export function makeSite(folder: string, { plugins }: { plugins: boolean }): string {
  fs.mkdirSync(folder, { recursive: true });
  if (plugins) execFileSync('git', ['init', '--quiet', folder]);
  else fs.writeFileSync(join(folder, 'pressmark.config.json'), '{ "git": false, "site": false }\n');
  return folder;
}

async function start(command: (port: number) => string[], env: NodeJS.Dict<string> = {}): Promise<Receiver> {
  const port = await freePort();
  const child = spawn(process.execPath, command(port), {
    env: { ...process.env, PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: 'https://example.com', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL')); // should the benchmark fail half-way
  await answering(child, port);
  return {
    port,
    pid: child.pid ?? Number.NaN,
    workMs: () => mainThreadMs(child),
    stop: () => stop(child),
  };
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the receiver ended with exit code ${child.exitCode}`);
    try {
      await fetch(`http://localhost:${port}/healthz`);
      return;
    } catch {
      // not listening yet
    }
    await wait(5);
  }
}

async function stop(child: ChildProcess): Promise<number> {
  const started = performance.now();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  return performance.now() - started;
}

function mainThreadMs({ pid }: ChildProcess): number {
  try {
    // The first thread has the number of its process.
    return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
