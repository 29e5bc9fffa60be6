import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config, { compiledTests } from './ava.config.js';

// The package as it would be published, which the generators' sites install: packed once for the whole run.
const folder = mkdtempSync(join(tmpdir(), 'pressmark-package-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.PRESSMARK_TEST_PATIENCE = 'long';
const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
process.env.PRESSMARK_TEST_PACKAGE = join(folder, execFileSync('npm', npm, { encoding: 'utf8' }).trim());

/**
 * What takes longest begins first: begun last, it would end alone. Before all others comes the test that makes network
 * interfaces: a browser stops what it loads when the network changes.
 */
const ORDER = [
  '/several-machines.',
  '/generators/astro',
  '/generators/',
  '/pages.',
  '/slow-arrival.',
  '/second-theme.',
];
const rank = (file) => [...ORDER, ''].findIndex((part) => file.includes(part));

// What needs more than Node, git and util-linux; `npm run test:e2e` installs it.
export default {
  ...config,
  files: compiledTests('e2e/', ['e2e/tools/']),
  timeout: '6m',
  concurrency: 3,
  sortTestFiles: (one, other) => rank(one) - rank(other),
};
