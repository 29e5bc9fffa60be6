import test from 'ava';
import { missingIgnoreLines } from '../../../src/generators/git-ignore.js';
import { siteOf } from '../../support/site-files.js';

test('a line of .gitignore counts however its slashes and stars are written', (t) => {
  for (const line of ['_site', '_site/', '/_site', '/_site/', '_site/*', '_site/**', '  _site/\r'])
    t.deepEqual(missingIgnoreLines(siteOf({ '.gitignore': `a\n${line}\nb\n` }), ['_site/']), [], line);
});

test('lines that a site lacks are named in their order', (t) => {
  const site = siteOf({ '.gitignore': '/_site_old/\n#_site/\n.cache\n' });
  t.deepEqual(missingIgnoreLines(site, ['_site/', '.cache/', 'node_modules/']), ['_site/', 'node_modules/']);
  t.deepEqual(missingIgnoreLines(siteOf({}), ['_site/']), ['_site/']);
});
