import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { removeFolder } from '../../../src/deploy/folder-files.js';
import { tempDir } from '../../support/temp-dir.js';

// The user of the whole process changes here, so no other test may run meanwhile: see ALONE in ava.config.js.
test('folders that a build has made read-only are removed', (t) => {
  const folder = tempDir(t);
  fs.mkdirSync(join(folder, 'output/read-only/too'), { recursive: true });
  fs.writeFileSync(join(folder, 'output/read-only/too/page.html'), 'x');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', '12345', folder]);
  execFileSync('chmod', ['-R', 'a-w', join(folder, 'output/read-only')]);
  if (isRoot) process.seteuid?.(12_345);
  try {
    removeFolder(join(folder, 'output'));
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  t.deepEqual(fs.readdirSync(folder), []);
});
