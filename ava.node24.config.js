import { readFileSync } from 'node:fs';
import config, { compiledTests, together } from './ava.config.js';

/**
 * What the version of Node.js can affect: HTTP, files, the watcher, locks, threads, how plugins are loaded, how a process ends.
 * What is decided, Git and the site's templates do not depend on it. The tests of a file whose titles begin so.
 */
const TESTS = {
  'unit/app/plugins/load-plugins.test.ts': [
    'packages are found beside the site',
    'the plugins of the folder are its modules',
  ],
  'unit/fs/lock.test.ts': ['a holder knows whether', 'waiting for the lock is bounded'],
  'integration/app/server/connections.test.ts': [
    'requests that are sent ahead',
    'a packet of thousands of requests',
    '400: ',
    'a client that does not read its answer is cut off',
  ],
  'integration/app/server/in-good-order.test.ts': ['SIGTERM: '],
  'integration/app/server/served.test.ts': ['206: a client gets the part of a file', '200: HEAD '],
  'integration/cli/build.test.ts': ['build makes from nothing the same site'],
  'integration/cli/plugins.test.ts': ['what plugin new --ts writes'],
  'integration/cli/sender.test.ts': ['an agency connects, publishes'],
  'integration/sender/conformance.test.ts': ['Pressmark’s own '],
  'integration/store/200-files-of-other-programs.test.ts': ['200-lookup: the next lookup knows an article '],
};

const known = compiledTests('', ['e2e/']);
const files = Object.keys(TESTS).map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);
const missing = [
  ...files.filter((file) => !known.includes(file)),
  ...Object.entries(TESTS).flatMap(([name, titles]) =>
    titles.filter((title) => !readFileSync(`test/${name}`, 'utf8').includes(title)),
  ),
];
if (missing.length > 0)
  throw new Error(`ava.node24.config.js names tests that are gone: ${missing.join(', ')}`);

export default {
  ...config,
  files: together(files),
  match: Object.values(TESTS).flatMap((titles) => titles.map((title) => `${title}*`)),
};
