// What needs more than Node, git and util-linux; `npm run test:e2e` sees to it that it is there.
export default {
  files: ['dist/test/e2e/**/*.test.js'],
  concurrency: 1,
  timeout: '3m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
