import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { syncFiles } from '../../../src/fs/sync-files.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

test.serial(
  'without a program for it, files are synced one by one, and each folder that has their names',
  async (t) => {
    const folder = fs.realpathSync(tempDir(t));
    syncs.length = 0;
    const { PATH } = process.env;
    process.env.PATH = folder;
    t.teardown(() => {
      process.env.PATH = PATH;
    });
    fs.mkdirSync(join(folder, 'a/b'), { recursive: true });
    fs.mkdirSync(join(folder, 'c/d'), { recursive: true });
    for (const name of ['index.html', 'a/b/one.html', 'a/b/two.html'])
      fs.writeFileSync(join(folder, name), name);
    const paths = ['index.html', 'a/b/one.html', 'a/b/two.html', 'c/d/removed.html', 'c/gone/removed.html'];
    t.true(
      await syncFiles(
        folder,
        paths.map((path) => join(folder, path)),
        60_000,
      ),
    );
    const synced = syncs.flatMap(({ path }) => (path.startsWith(folder) ? path.slice(folder.length) : []));
    const files = ['/index.html', '/a/b/one.html', '/a/b/two.html'];
    t.deepEqual(synced.slice(0, files.length), files);
    t.deepEqual(synced.slice(files.length).sort(), ['', '/a', '/a/b', '/c', '/c/d']);
  },
);
