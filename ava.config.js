import { randomInt } from 'node:crypto';

// One seed for the whole run: whatever is random in a test is derived from it.
process.env.PRESSMARK_TEST_SEED ??= String(randomInt(2 ** 31));
process.stdout.write(`PRESSMARK_TEST_SEED=${process.env.PRESSMARK_TEST_SEED}\n`);

export default {
  files: ['dist/test/**/*.test.js', '!dist/test/e2e/**'],
  concurrency: 3,
  timeout: '2m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
