import { createHash, randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

// One seed for the whole run: whatever is random in a test is derived from it.
process.env.PRESSMARK_TEST_SEED ??= String(randomInt(2 ** 31));
process.stdout.write(`PRESSMARK_TEST_SEED=${process.env.PRESSMARK_TEST_SEED}\n`);

/** The compiled tests below a folder of test/; by their sources, so that a removed test is not run from an old build. */
export const compiledTests = (folder, except = []) =>
  readdirSync(`test/${folder}`, { recursive: true })
    .map((name) => `${folder}${name}`.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !except.some((start) => name.startsWith(start)))
    .map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);

/**
 * Unit tests last, which are short: begun last, a long test would end alone. The folders are mixed, as the tests of one
 * folder need the same at the same time: those of the site the processor, those of git the disk.
 */
const rank = (file) =>
  `${file.includes('/unit/') ? 1 : 0}${createHash('sha256').update(basename(file)).digest('hex')}`;

export default {
  files: compiledTests('', ['e2e/']),
  // More than there are processors: many tests wait, for the disk or for time to pass.
  concurrency: 4,
  sortTestFiles: (one, other) => (rank(one) < rank(other) ? -1 : 1),
  // Without any progress: longer than several waits of one test, each of which fails with a sentence of its own.
  timeout: '10m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
