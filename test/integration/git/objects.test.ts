import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { committedFiles } from '../../../src/app/deploy.js';
import { entriesAt, MOST_PATHS } from '../../../src/git/objects.js';
import { openRepository } from '../../../src/git/repository.js';
import { statusOf } from '../../../src/git/status.js';
import { tempDir } from '../../support/temp-dir.js';

/** A repository with so many files, all of them in the index too. */
async function repositoryWith(top: string, paths: readonly string[]) {
  execFileSync('git', ['init', '-q', '--initial-branch=main', top]);
  const commit =
    'blob\nmark :1\ndata 4\ntext\ncommit refs/heads/main\nmark :2\ncommitter O <o@example.org> 0 +0000\ndata 3\nall\n';
  const input = `${commit}${paths.map((path) => `M 100644 :1 ${path}\n`).join('')}`;
  execFileSync('git', ['-C', top, 'fast-import', '--quiet'], { input });
  execFileSync('git', ['-C', top, 'read-tree', 'HEAD']);
  const found = await openRepository(top, process.env);
  if (found.kind === 'none') throw new Error(found.because);
  return found;
}

test('more paths than fit a command line are found in a commit, and by their status; what git ignores is not called committed', async (t) => {
  const paths = Array.from({ length: MOST_PATHS + 1 }, (_, index) => `content/${index}.md`);
  const top = tempDir(t);
  const repository = await repositoryWith(top, [...paths, 'other.md']);
  const committed = await entriesAt(repository, 'HEAD', paths);
  t.is(committed.size, paths.length);
  t.is(committed.get('other.md'), undefined);
  const { files } = await statusOf(repository, paths);
  t.is(files.size, paths.length + 1, 'no file is there');
  const entry = committed.get('content/900.md');
  t.deepEqual(files.get('content/900.md'), { head: entry, index: entry, isThere: false });

  await repository.git(['checkout-index', '-a']);
  for (const name of ['.git/info/exclude', 'ignored.md']) writeFileSync(join(top, name), 'ignored.md\n');
  const site = { dir: top, environment: process.env };
  t.deepEqual([...(await committedFiles(site, ['ignored.md', ...paths]))], paths);
});

test('the status has what HEAD, the index and the work tree have, and what git ignores', async (t) => {
  const top = tempDir(t);
  const names = ['changed.md', 'staged.md', 'gone.md', 'removed from the index.md', 'same.md'];
  const repository = await repositoryWith(top, names);
  await repository.git(['checkout-index', '-a']);
  for (const name of ['changed.md', 'staged.md', 'new\nname.md', 'ignored.md'])
    writeFileSync(join(top, name), name);
  writeFileSync(join(top, '.git/info/exclude'), 'ignored.md\n');
  rmSync(join(top, 'gone.md'));
  await repository.git(['rm', '-q', '--cached', 'removed from the index.md']);
  await repository.git(['add', 'staged.md']);
  const { files, ignored, tip } = await statusOf(repository, [...names, 'new\nname.md', 'ignored.md']);
  const said = [...files].map(([path, { head, index, isThere }]) => [
    path,
    `${head === undefined ? 'absent' : 'there'}, ${index === undefined ? 'absent' : head?.id === index.id ? 'the same' : 'another'}, ${isThere}`,
  ]);
  t.deepEqual(Object.fromEntries(said), {
    'changed.md': 'there, the same, true',
    'staged.md': 'there, another, true',
    'gone.md': 'there, the same, false',
    'removed from the index.md': 'there, absent, true',
    'new\nname.md': 'absent, absent, true',
  });
  t.deepEqual([...ignored], ['ignored.md']);
  t.is(tip, (await repository.git(['rev-parse', 'main'])).stdout.trim());
});
