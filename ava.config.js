export default {
  files: ['dist/test/**/*.test.js'],
  concurrency: 2,
  timeout: '2m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
