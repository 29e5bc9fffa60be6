import config, { compiledTests } from './ava.config.js';

// What the version of Node.js can affect: HTTP, files, the watcher, locks, worker threads, loading of plugins and settings.
// Git and the site's templates do not depend on it, nor does what a kill leaves.
const FOLDERS = [
  'unit/config/',
  'unit/fs/',
  'unit/host/',
  'integration/app/',
  'integration/host/',
  'integration/store/200-durable-before-answer',
  'integration/store/200-files-of-other-programs',
  'integration/webhook/http',
];

// A full disk is the kernel's, and the start on one takes long.
const all = compiledTests('', ['e2e/', 'integration/app/200-start-on-a-full-disk']);
export default {
  ...config,
  files: all.filter((file) => FOLDERS.some((start) => file.startsWith(`dist/test/${start}`))),
};
