import config, { compiledTests, together } from './ava.config.js';

// What the version of Node.js can affect: HTTP, files, the watcher, locks, loading of plugins. What a receiver answers, the
// conformance checker asks. Decisions, Git and the site's templates do not depend on it, nor does what a kill leaves.
const FOLDERS = [
  'unit/fs/',
  'integration/app/server/connections',
  'integration/app/server/in-good-order',
  'integration/app/server/served',
  'integration/host/packages',
  'integration/sender/conformance',
  'integration/store/200-files-of-other-programs',
];

export default {
  ...config,
  files: together(
    compiledTests('', ['e2e/']).filter((file) =>
      FOLDERS.some((start) => file.startsWith(`dist/test/${start}`)),
    ),
  ),
};
