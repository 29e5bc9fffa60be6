import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folderTarget } from '../../../src/deploy/targets/folder.js';
import { recorder, syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

test('a release is on the disk, files and folders, before current leads to it', async (t) => {
  const dir = fs.realpathSync(tempDir(t));
  const [output, folder] = [join(dir, 'public'), join(dir, 'srv')];
  fs.mkdirSync(join(output, 'a/b'), { recursive: true });
  for (const file of ['index.html', 'a/b/index.html']) fs.writeFileSync(join(output, file), file);
  const current = join(folder, 'current');
  recorder.observe = () => (fs.existsSync(current) ? 'switched' : 'before');
  await folderTarget(folder).deploy({ folder: output }, new AbortController().signal);
  // A release has another name, and a file a temporary one, until it is whole.
  const before = syncs
    .filter(({ observed }) => observed === 'before')
    .map(({ path }) => path.replace(/\.next-\w+/, 'release').replace(/[^/]*\.tmp$/, 'file'));
  const inRelease = ['', '/file', '/a', '/a/b', '/a/b/file'].map((name) =>
    join(folder, `releases/release${name}`),
  );
  for (const path of [...inRelease, join(folder, 'releases')]) t.true(before.includes(path), path);
  t.true(
    syncs.some(({ path, observed }) => path === folder && observed === 'switched'),
    'current itself',
  );
});
