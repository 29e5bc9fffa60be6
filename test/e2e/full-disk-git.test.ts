import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../support/events.js';
import { startReceiver } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

// Mounting is root's business; without it the test fails and says so, it does not pass by.
test('200: a really full disk under .git keeps no article from being stored; the commits follow', async (t) => {
  const dir = tempDir(t);
  const gitDir = join(dir, '.git');
  fs.mkdirSync(gitDir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', gitDir]);
  t.teardown(() => execFileSync('umount', ['--lazy', gitDir]));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false }));
  const receiver = await startReceiver(t, { dir });
  // Not `--all`: the ref of a batch that failed stays until the next comparison where the full disk keeps it from being removed.
  const commits = () => Number(git('rev-list', '--count', '--branches'));
  t.is((await receiver.post('article.published', article({ id: 'first' }))).status, 200);
  const isClean = () => git('status', '--porcelain', '--', 'content') === '';
  // With the index: a file that git has open would leave it room when it has written it.
  await until('the first article is committed', () => commits() === 1 && isClean());

  const ballast = join(gitDir, 'ballast');
  t.throws(
    () => {
      for (;;) fs.appendFileSync(ballast, Buffer.alloc(4096));
    },
    { code: 'ENOSPC' },
  );
  for (const id of ['second', 'third'])
    t.is((await receiver.post('article.published', article({ id }))).status, 200);
  await until('the failed commit is logged', () => receiver.log.some(({ level }) => level === 50));
  t.is(commits(), 1);

  fs.unlinkSync(ballast);
  await until('the commits follow once there is room', () => commits() === 3);
  await until('the index has them, too', isClean);
  t.is(git('fsck', '--full', '--no-dangling'), '');
});
