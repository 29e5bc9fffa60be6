import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { configDigest } from '../../../../../src/app/build/addresses/config-digest.js';
import { tempDir } from '../../../../support/temp-dir.js';

test('the digest changes with the configuration and with data of the posts’ folders, and not with posts', (t) => {
  const siteDir = tempDir(t);
  const write = (name: string, text: string) => {
    fs.mkdirSync(dirname(join(siteDir, name)), { recursive: true });
    fs.writeFileSync(join(siteDir, name), text);
  };
  let settings: Record<string, unknown> = { output: 'public' };
  const digest = () =>
    configDigest({ siteDir, content: 'content', configFiles: ['site.toml', 'layouts'], settings });
  const seen = new Set([digest()]);
  const changes = (what: string, change: () => void, expected: boolean) => {
    change();
    const now = digest();
    t.is(!seen.has(now), expected, what);
    seen.add(now);
  };
  changes('a config file', () => write('site.toml', 'x'), true);
  changes('its text', () => write('site.toml', 'y'), true);
  changes('a layout in a folder', () => write('layouts/a/b/single.html', 'x'), true);
  changes('its name', () => fs.renameSync(join(siteDir, 'layouts/a/b'), join(siteDir, 'layouts/a/c')), true);
  changes('the packages', () => write('package-lock.json', '{}'), true);
  changes('a folder’s data', () => write('content/blog/blog.11tydata.js', 'x'), true);
  changes('a section’s front matter', () => write('content/blog/_index.md', 'x'), true);
  changes('a setting', () => (settings = { output: 'dist' }), true);
  changes('a post', () => write('content/blog/a.md', 'x'), false);
  changes('a picture', () => write('content/blog/a.png', 'x'), false);
  changes('another file', () => write('README.md', 'x'), false);
  fs.symlinkSync('..', join(siteDir, 'layouts/circle'));
  t.true(seen.has(digest()));
});
