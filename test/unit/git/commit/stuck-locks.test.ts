import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createStuckLocks, lockRelease } from '../../../../src/git/commit/stuck-locks.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a lock file is remembered until it is gone or is another one', async (t) => {
  const dir = tempDir(t);
  const [first, second] = [join(dir, 'HEAD.lock'), join(dir, 'main.lock')];
  const locks = createStuckLocks({ top: dir, gitDir: dir, commonDir: dir }, pino({ level: 'silent' }));
  t.is(await locks.add([first, second]), undefined);
  t.is(await locks.find(), undefined);

  fs.writeFileSync(second, '');
  t.is(await locks.add([first, second]), second);
  t.is(await locks.find(), second);
  t.is(await locks.find(), second);

  fs.writeFileSync(first, '');
  fs.renameSync(first, second);
  t.is(await locks.find(), undefined, 'another program has taken it');
  fs.rmSync(second);
  t.is(await locks.find(), undefined);
});

test('a lock of a linked work tree is named from the repository’s folder', (t) => {
  t.regex(
    lockRelease('/site/.git/worktrees/one/index.lock', '/site/.git'),
    / \.git\/worktrees\/one\/index\.lock;/,
  );
});
