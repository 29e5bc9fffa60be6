import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Attack, BrokenPromise, type Counts, type Scenario } from './scenario.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** So many times as many cases as in `npm test`, at first. */
const FIRST_FACTOR = 3;
/** So many times as many cases as in `npm test`, at most: beyond it, single tests would take hours. */
const LARGEST_FACTOR = 1_000;
/** Much longer than one property takes. */
const LONGEST_TEST = '60m';

export const properties: Scenario = {
  name: 'properties',
  promise: 'What the tests say of a few random articles, requests and settings holds for many more.',
  weight: 2,
  run: async (attack) => {
    const files = propertyTests();
    // The first run shows how long they take, the starting of processes included; it is part of the attack.
    const began = performance.now();
    await runTests(files, FIRST_FACTOR, attack);
    const tookMs = performance.now() - began;
    let runs = 1;
    let factor = FIRST_FACTOR;
    // Once more with all that is left; the cases of the same seed begin with those of the first run.
    const leftMs = attack.deadline - performance.now();
    if (leftMs > tookMs) {
      factor = Math.min(LARGEST_FACTOR, Math.floor((2 * FIRST_FACTOR * leftMs) / tookMs));
      await runTests(files, factor, attack);
      runs++;
    }
    return { files: files.length, runs, timesAsManyCases: factor };
  },
};

/** The test files with properties, by what they import. */
function propertyTests(): string[] {
  const names = fs.readdirSync(TESTS, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.js') && !name.startsWith('e2e'))
    .map((name) => join(TESTS, name))
    .filter((path) =>
      /from '[^']*(?:support\/property|\/arbitrary)\.js'/.test(fs.readFileSync(path, 'utf8')),
    );
}

/** @throws BrokenPromise with what AVA says of the failures. */
async function runTests(files: readonly string[], factor: number, { seed, note }: Attack): Promise<Counts> {
  note(`${files.length} files, factor ${factor}`);
  const args = [join(ROOT, 'node_modules/ava/entrypoints/cli.mjs'), '--timeout', LONGEST_TEST, ...files];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PRESSMARK_TEST_RUNS: String(factor), PRESSMARK_TEST_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await once(child, 'close');
  for (const line of output.trimEnd().split('\n')) note(line);
  if (child.exitCode === 0) return {};
  const failed = output.split('\n').filter((line) => /^\s*(?:✘|×|✖)/.test(line));
  throw new BrokenPromise(
    `the properties should hold for ${factor} times as many cases: ${failed.join('; ').trim() || output.slice(-2_000)}`,
  );
}
