import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { terminalReport } from '../../../src/conformance/report/terminal.js';
import { checkReceiver } from '../../../src/conformance/run.js';
import { CLOCK } from '../../../src/sender/clock.js';
import { optionsFor, withoutPauses } from '../../support/conformance/checked.js';
import { freePort } from '../../support/free-port.js';
import { bareEnvironment, PROGRAM, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** What an example reads from its environment, beside PORT. */
export const SETTINGS = { SITE_URL, SIGNING_SECRET: SECRET };

type Command = readonly [program: string, ...args: string[]];

/** A receiver below examples/receivers/, and what its language's developers get wrong. */
export interface Example {
  /** Its folder. */
  readonly folder: string;
  /** The path of its webhook. @default '/webhook' */
  readonly path?: string;
  /** What runs it, in a copy of the folder; it listens on the port. */
  readonly command: (port: number, dir: string) => Command;
  /** What runs a copy with a mistake in it. @default command */
  readonly mistaken?: (port: number, dir: string, mistake: Mistake) => Command;
  readonly mistakes: readonly Mistake[];
}

export interface Mistake {
  readonly what: string;
  /** The files that it is in, each with what is replaced there: texts that are in the file once. */
  readonly edits: Readonly<Record<string, readonly (readonly [right: string, wrong: string])[]>>;
  /** The rule with which the report begins. */
  readonly first: string;
  /** Words of the report on that rule. */
  readonly says: RegExp;
}

/** Declares the tests of an example. */
export function testExample(example: Example): void {
  const { folder, command, mistaken = command, mistakes } = example;

  test.serial(`the receiver in ${folder} keeps every rule of the contract`, async (t) => {
    const url = await started(t, example, command);
    const args = ['check', url.href, '--json', '--rate', '100000', '--public-at', url.origin];
    const env = { ...bareEnvironment(), PRESSMARK_SECRET: SECRET };
    const checking = promisify(execFile)(process.execPath, [PROGRAM, ...args], { env, maxBuffer: 1e7 });
    // What has failed is in the report too.
    const { stdout } = await checking.catch((failed: { stdout: string }) => failed);
    const { version, rules }: { version: number; rules: { id: string; result: string; why?: string }[] } =
      JSON.parse(stdout);
    t.is(version, 3);
    const others = rules.filter(({ result, why = '' }) => result !== 'passed' && !why.includes('--manual'));
    t.deepEqual(others, []);
    t.true(rules.length > 150);
  });

  for (const mistake of mistakes)
    test.serial(`the first words about a receiver in ${folder} that ${mistake.what}`, async (t) => {
      const commandOf: Example['command'] = (port, dir) => mistaken(port, dir, mistake);
      const words = await firstWords(await started(t, example, commandOf, mistake.edits));
      t.regex(words, new RegExp(`^[✗!] ${mistake.first} \\(rule`));
      t.regex(words, mistake.says);
    });
}

/** Starts a copy of the example, with these edits, and waits until it answers. */
async function started(
  t: ExecutionContext,
  { folder, path = '/webhook' }: Example,
  command: Example['command'],
  edits?: Mistake['edits'],
): Promise<URL> {
  const dir = join(tempDir(t), folder);
  copyExample(folder, dir, edits);
  const port = await freePort();
  const [program, ...args] = command(port, dir);
  const url = new URL(`http://127.0.0.1:${port}${path}`);
  const child = spawn(program, args, {
    cwd: dir,
    env: { ...bareEnvironment(), ...SETTINGS, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // a group of its own, with the workers that it starts
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close');
  t.teardown(async () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // its workers may outlive it
    } catch {
      // The whole group has ended.
    }
    await ended;
  });
  await until(`the receiver in ${folder} answers`, () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log}`);
    return isAnswering(url);
  });
  return url;
}

/** Copies an example, with these edits. */
export function copyExample(folder: string, dir: string, edits: Mistake['edits'] = {}): void {
  fs.cpSync(join(ROOT, 'examples/receivers', folder), dir, { recursive: true });
  for (const [file, changes] of Object.entries(edits))
    for (const [right, wrong] of changes) {
      const parts = fs.readFileSync(join(dir, file), 'utf8').split(right);
      if (parts.length !== 2) throw new Error(`${right} is not once in ${file}`);
      fs.writeFileSync(join(dir, file), parts.join(wrong));
    }
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

/** What `pressmark check` says first; it ends there. */
async function firstWords(url: URL): Promise<string> {
  const found = new AbortController();
  const report = await checkReceiver({
    ...optionsFor(url, { pages: { origin: url.origin, waitMs: 1_000 } }),
    // An article that is stored after the answer is asked for again at once.
    clock: withoutPauses(CLOCK),
    signal: found.signal,
    onOutcome: ({ result }) => {
      if (result === 'failed' || result === 'advice') found.abort();
    },
  });
  const [, , ...lines] = terminalReport(report, { colour: false, verbose: false }).split('\n');
  return lines.slice(0, 4).join('\n');
}
