import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Attack, BrokenPromise, type Scenario } from './scenario.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** In the first run: how many times as many cases as in `npm test`. */
const FIRST_FACTOR = 3;
/** How many times as many cases as in `npm test` at most; with more, a single test could take hours. */
const LARGEST_FACTOR = 1_000;
/** Much longer than one property takes. */
const LONGEST_TEST = '60m';

export const properties: Scenario = {
  name: 'properties',
  promise:
    'The properties that the tests check with a few random articles, requests and settings hold for many more.',
  weight: 2,
  run: async (attack) => {
    const files = propertyTests();
    if (files.length === 0) throw new Error('there is no compiled test with properties');
    // The first run is part of the attack and also measures how long the tests take, including the start of processes.
    const began = performance.now();
    await runTests(files, FIRST_FACTOR, attack);
    const tookMs = performance.now() - began;
    let runs = 1;
    let factor = FIRST_FACTOR;
    // The second run gets the remaining time. With the same seed, it repeats the cases of the first run and adds more.
    const leftMs = attack.deadline - performance.now();
    if (leftMs > tookMs) {
      factor = Math.min(LARGEST_FACTOR, Math.floor((2 * FIRST_FACTOR * leftMs) / tookMs));
      await runTests(files, factor, attack);
      runs++;
    }
    return { files: files.length, runs, timesAsManyCases: factor };
  },
};

/** The test files with properties; they are recognized by their imports. */
function propertyTests(): string[] {
  const names = fs.readdirSync(TESTS, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.js') && !name.startsWith('e2e'))
    .map((name) => join(TESTS, name))
    .filter((path) =>
      /from '[^']*(?:support\/property|\/arbitrary)\.js'/.test(fs.readFileSync(path, 'utf8')),
    );
}

/** @throws BrokenPromise with AVA's report of the failed tests. */
async function runTests(files: readonly string[], factor: number, { seed, note }: Attack): Promise<void> {
  note(`${files.length} files, factor ${factor}`);
  const args = [join(ROOT, 'node_modules/ava/entrypoints/cli.mjs'), '--timeout', LONGEST_TEST, ...files];
  const env = { ...process.env, PRESSMARK_TEST_RUNS: String(factor), PRESSMARK_TEST_SEED: String(seed) };
  const [error, output] = await new Promise<[Error | null, string]>((resolve) =>
    execFile(process.execPath, args, { cwd: ROOT, env, maxBuffer: 1e9 }, (...ended) =>
      resolve([ended[0], `${ended[1]}${ended[2]}`]),
    ),
  );
  for (const line of output.trimEnd().split('\n')) note(line);
  if (error === null) return;
  const failed = output.split('\n').filter((line) => /^\s*(?:✘|×|✖)/.test(line));
  throw new BrokenPromise(
    `the properties should hold for ${factor} times as many cases: ${failed.join('; ').trim() || output.slice(-2_000)}`,
  );
}
