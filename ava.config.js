import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';

// One seed for the whole run: whatever is random in a test is derived from it.
process.env.PRESSMARK_TEST_SEED ??= String(randomInt(2 ** 31));
process.stdout.write(`PRESSMARK_TEST_SEED=${process.env.PRESSMARK_TEST_SEED}\n`);

/** The compiled tests below a folder of test/; by their sources, so that a removed test is not run from an old build. */
export const compiledTests = (folder, except = []) =>
  readdirSync(`test/${folder}`, { recursive: true })
    .map((name) => `${folder}${name}`.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !except.some((start) => name.startsWith(start)))
    .map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);

export default {
  files: compiledTests('', ['e2e/']),
  // More than there are processors: many tests wait, for the disk or for time to pass.
  concurrency: 4,
  // Without any progress: longer than several waits of one test, each of which fails with a sentence of its own.
  timeout: '5m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
