import config, { compiledTests } from './ava.config.js';

// What the version of Node.js can affect: HTTP, files, locks, worker threads, loading of plugins and settings. Git and
// the site's templates do not depend on it.
const FOLDERS = [
  'unit/config/',
  'unit/fs/',
  'unit/host/',
  'integration/app/',
  'integration/host/',
  'integration/store/',
  'integration/webhook/',
];

export default { ...config, files: FOLDERS.flatMap((folder) => compiledTests(folder)) };
