export default {
  files: ['dist/test/**/*.test.js', '!dist/test/e2e/**'],
  concurrency: 2,
  timeout: '2m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
