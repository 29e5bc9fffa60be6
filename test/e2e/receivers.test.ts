import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, PROGRAM, SITE_URL } from '../support/receiver.js';
import { SECRET } from '../support/signer.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const NEXT = join(ROOT, 'test/e2e/tools/next/node_modules');

/** A receiver below examples/receivers/. */
interface Example {
  /** The path of its webhook. @default '/webhook' */
  readonly path?: string;
  /** What runs it, in a copy of its folder; it listens on the port. */
  command(port: number, dir: string): readonly [program: string, ...args: string[]];
}

/** By their folders. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  go: {
    command(_, dir) {
      execFileSync('go', ['build', '-o', 'receiver', '.'], {
        cwd: dir,
        env: { ...process.env, GOTOOLCHAIN: 'local' },
      });
      return [join(dir, 'receiver')];
    },
  },
  nextjs: {
    path: '/api/webhook',
    command(port, dir) {
      fs.symlinkSync(NEXT, join(dir, 'node_modules'));
      return [process.execPath, join(NEXT, 'next/dist/bin/next'), 'dev', '--webpack', '--port', String(port)];
    },
  },
  php: {
    command: (port) => ['env', 'PHP_CLI_SERVER_WORKERS=4', 'php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
  python: { command: () => ['python3', 'receiver.py'] },
  ruby: { command: () => ['ruby', 'receiver.rb'] },
};

for (const [folder, example] of Object.entries(EXAMPLES))
  test.serial(`the receiver in ${folder} keeps every rule of the contract`, async (t) => {
    const url = await started(t, folder, example);
    const args = ['check', url.href, '--json', '--rate', '200', '--public-at', url.origin];
    const env = { ...bareEnvironment(), PRESSMARK_SECRET: SECRET };
    const checking = promisify(execFile)(process.execPath, [PROGRAM, ...args], { env, maxBuffer: 1e7 });
    // What has failed is in the report too.
    const { stdout } = await checking.catch((failed: { stdout: string }) => failed);
    const { version, rules }: { version: number; rules: { id: string; result: string; why?: string }[] } =
      JSON.parse(stdout);
    t.is(version, 3);
    const others = rules.filter(({ result, why = '' }) => result !== 'passed' && !why.includes('--manual'));
    t.deepEqual(others, []);
    t.true(rules.length > 200);
  });

/** Starts a copy of the example, and waits until it answers. */
async function started(
  t: ExecutionContext,
  folder: string,
  { path = '/webhook', command }: Example,
): Promise<URL> {
  const dir = join(tempDir(t), folder);
  fs.cpSync(join(ROOT, 'examples/receivers', folder), dir, { recursive: true });
  const port = await freePort();
  const [program, ...args] = command(port, dir);
  const url = new URL(`http://127.0.0.1:${port}${path}`);
  const child = spawn(program, args, {
    cwd: dir,
    env: { ...bareEnvironment(), PORT: String(port), SITE_URL, SIGNING_SECRET: SECRET },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // a group of its own, with the workers that it starts
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  await until(`the receiver in ${folder} answers`, () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log}`);
    return isAnswering(url);
  });
  return url;
}

/** Whether anything answers; what is compiled at the first request is compiled then. */
async function isAnswering(url: URL): Promise<boolean> {
  try {
    const [response] = await once(http.get(url, { agent: false }), 'response');
    response.resume();
    return true;
  } catch {
    return false;
  }
}
