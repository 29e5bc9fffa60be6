import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeRelease, switchTo } from '../../../src/deploy/releases.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

test('a release is on the disk, files and folders, before it has its name; so is the link that leads to it', async (t) => {
  const dir = fs.realpathSync(tempDir(t));
  const [output, releases] = [join(dir, 'public'), join(dir, 'srv/releases')];
  const files = ['index.html', 'a/b/index.html'];
  fs.mkdirSync(join(output, 'a/b'), { recursive: true });
  for (const file of files) fs.writeFileSync(join(output, file), file);
  const release = await makeRelease(releases, {
    output,
    files: [...files, 'removed-by-the-next-build.html'],
    previous: undefined,
    isSame: () => false,
  });
  // A release has another name until it is whole.
  const before = syncs.splice(0).map(({ path }) => path.replace(/\.next-\w+/, 'release'));
  const inRelease = ['', '/index.html', '/a', '/a/b', '/a/b/index.html'].map((name) =>
    join(releases, `release${name}`),
  );
  for (const path of [...inRelease, releases]) t.true(before.includes(path), path);
  await switchTo(release, join(dir, 'srv/current'));
  t.true(
    syncs.some(({ path }) => path === join(dir, 'srv')),
    'the link itself',
  );
});
