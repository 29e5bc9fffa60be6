import { execFileSync } from 'node:child_process';
import test from 'ava';
import { nextCommits, removeNextRefs } from '../../../src/git/commit/next-commits.js';
import { entriesAt, entriesInIndex } from '../../../src/git/objects.js';
import { openRepository } from '../../../src/git/repository.js';
import { tempDir } from '../../support/temp-dir.js';

/** A repository with so many files, all of them in the index too. */
async function repositoryWith(top: string, paths: readonly string[]) {
  execFileSync('git', ['init', '-q', top]);
  const commit =
    'blob\nmark :1\ndata 4\ntext\ncommit refs/heads/main\nmark :2\ncommitter O <o@example.org> 0 +0000\ndata 3\nall\n';
  const input = `${commit}${paths.map((path) => `M 100644 :1 ${path}\n`).join('')}`;
  execFileSync('git', ['-C', top, 'fast-import', '--quiet'], { input });
  execFileSync('git', ['-C', top, 'read-tree', 'refs/heads/main']);
  const found = await openRepository(top, process.env);
  if (found.kind === 'none') throw new Error(found.because);
  return found;
}

test('more paths than fit a command line are found in a commit and in the index', async (t) => {
  const paths = Array.from({ length: 9_500 }, (_, index) => `content/${'long-name-'.repeat(23)}${index}.md`);
  const repository = await repositoryWith(tempDir(t), [...paths, 'other.md']);
  const committed = await entriesAt(repository, 'refs/heads/main', paths);
  const index = await entriesInIndex(repository, paths);
  t.is(committed.size, paths.length);
  t.is(committed.get('other.md'), undefined);
  t.is(JSON.stringify([...index].sort()), JSON.stringify([...committed].sort()));
});

test('the ref of commits under way is removed only while it is the one that was left', async (t) => {
  const repository = await repositoryWith(tempDir(t), ['a.md']);
  const { git } = repository;
  const [left, ofBatch] = await Promise.all(
    ['left', 'batch'].map(async (message) => {
      const tree = ['commit-tree', '-m', message, 'refs/heads/main^{tree}'];
      const who = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
        [`GIT_${role}_NAME`, 'O'],
        [`GIT_${role}_EMAIL`, 'o@example.org'],
      ]);
      return (await git(tree, { env: Object.fromEntries(who) })).stdout.trim();
    }),
  );
  const ref = 'refs/worktree/pressmark/next';
  await git(['update-ref', ref, ofBatch ?? '']);
  await removeNextRefs(repository, [{ ref, commit: left ?? '', madeAt: 0 }]);
  t.like(await nextCommits(repository), [{ ref, commit: ofBatch ?? '' }]);
  await removeNextRefs(repository, await nextCommits(repository));
  t.deepEqual(await nextCommits(repository), []);
});
