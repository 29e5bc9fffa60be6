import config, { compiledTests, together } from './ava.config.js';

// What the version of Node.js can affect: HTTP, files, the watcher, locks, worker threads, loading of plugins and settings.
// Git and the site's templates do not depend on it, nor does what a kill leaves.
const FOLDERS = [
  'unit/config/',
  'unit/fs/',
  'unit/host/',
  'integration/app/linked-folders',
  'integration/app/server/',
  'integration/host/',
  'integration/store/200-durable-before-answer',
  'integration/store/200-files-of-other-programs',
  'integration/webhook/http',
];

export default {
  ...config,
  files: together(
    compiledTests('', ['e2e/']).filter((file) =>
      FOLDERS.some((start) => file.startsWith(`dist/test/${start}`)),
    ),
  ),
};
