import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config, { compiledTests, isNamed, together } from './ava.config.js';

// The package as it would be published, which the generators' sites install: packed once for the whole run.
const folder = mkdtempSync(join(tmpdir(), 'pressmark-package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.PRESSMARK_TEST_PATIENCE = 'long';
const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
process.env.PRESSMARK_TEST_PACKAGE = join(folder, execFileSync('npm', npm, { encoding: 'utf8' }).trim());

/**
 * What takes longest begins first: begun last, it would end alone. Before all others comes the test that makes network
 * interfaces, and browsers come when it has ended: a browser stops what it loads when the network changes.
 */
const ORDER = [
  '/several-machines.',
  '/check-sender.',
  '/together/e2e-generators-',
  '/together/e2e-receivers-',
  '/installation.',
  '/together/e2e-admin-',
  '/together/e2e-site-',
];
const rank = (file) => [...ORDER, ''].findIndex((part) => file.includes(part));

/** The kinds of site that take longest to install and to build: `npm run test:slow-sites`, before a release. */
const SLOW_SITES = ['e2e/generators/docusaurus.', 'e2e/generators/nuxt-content.'];

// What needs more than Node, git and util-linux; `npm run test:e2e` installs it.
export default {
  ...config,
  files: isNamed ? compiledTests('e2e/') : together(compiledTests('e2e/', SLOW_SITES)),
  // No test sets a longer one with `t.timeout`: AVA looks at this one once, and would wait for ever for a process that hangs.
  timeout: '6m',
  // One more than of the others: the first two mostly wait.
  concurrency: 5,
  sortTestFiles: (one, other) => rank(one) - rank(other),
};
