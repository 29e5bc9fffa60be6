import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { createMutex } from '../../../../src/fs/mutex.js';
import { changesBetween } from '../../../../src/git/cli/history.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { createCheckoutFolders } from '../../../../src/git/push/checkout-folders.js';
import { checkOutChanges } from '../../../../src/git/push/worktree-checkout.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a large checkout gives others the store’s lock again and again, and leaves what is changed in between', async (t) => {
  const dir = tempDir(t);
  const names = Array.from({ length: 350 }, (_, n) => `file-${1_000 + n}.txt`);
  const commitAll = (text: string) => {
    for (const name of names) fs.writeFileSync(join(dir, name), `${text} of ${name}\n`);
    gitIn(dir, 'add', '.');
    gitIn(dir, 'commit', '--quiet', '-m', text);
    return gitIn(dir, 'rev-parse', 'HEAD').trim();
  };
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const before = commitAll('the first text');
  const after = commitAll('the second text');
  gitIn(dir, 'reset', '--quiet', '--hard', before);
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') return t.fail(repository.because);

  const lock = createMutex();
  const others: number[] = [];
  const written = () =>
    names.filter((name) => fs.readFileSync(join(dir, name), 'utf8').startsWith('the second text')).length;
  const last = join(dir, names.at(-1) ?? '');
  const { notFollowed, close } = await checkOutChanges(
    repository,
    await changesBetween(repository, before, after),
    async () => new Map(),
    {
      folders: createCheckoutFolders(tempDir(t), findLockHelper()),
      storeLock: {
        run: (work) => {
          const turn = lock.run(work);
          // a delivery that comes during this turn
          void lock.run(async () => {
            others.push(written());
            if (others.length === 1) fs.writeFileSync(last, 'a delivery\n');
          });
          return turn;
        },
      },
    },
  );
  await close();
  t.true(others.length >= 4, `others had ${others.length} turns`);
  t.deepEqual(others.slice(0, 3), [100, 200, 300]);
  const left = notFollowed.map(({ path }) => path);
  t.deepEqual(left, [names.at(-1)]);
  t.is(fs.readFileSync(last, 'utf8'), 'a delivery\n');
  t.is(written(), names.length - 1);
});

test('a file that has become a folder on the branch becomes one in the work tree', async (t) => {
  const dir = tempDir(t);
  const commit = () => {
    gitIn(dir, 'add', '--all');
    gitIn(dir, 'commit', '--quiet', '-m', 'x');
    return gitIn(dir, 'rev-parse', 'HEAD').trim();
  };
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'docs'), 'a file\n');
  const before = commit();
  fs.rmSync(join(dir, 'docs'));
  fs.mkdirSync(join(dir, 'docs/sub'), { recursive: true });
  for (const name of ['a.md', 'sub/b.md']) fs.writeFileSync(join(dir, 'docs', name), `${name}\n`);
  const after = commit();
  gitIn(dir, 'reset', '--quiet', '--hard', before);
  t.deepEqual(await checkedOut(t, dir, before, after), []);
  t.is(fs.readFileSync(join(dir, 'docs/sub/b.md'), 'utf8'), 'sub/b.md\n');
});

test('the mode that others have given to a file reaches the work tree; an edit of the file stays', async (t) => {
  const dir = tempDir(t);
  const commit = () => {
    gitIn(dir, 'commit', '--quiet', '-m', 'x');
    return gitIn(dir, 'rev-parse', 'HEAD').trim();
  };
  const names = ['build.sh', 'plain.sh', 'edited.sh'];
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  for (const name of names) fs.writeFileSync(join(dir, name), '#!/bin/sh\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'update-index', '--chmod=+x', 'plain.sh');
  const before = commit();
  gitIn(dir, 'update-index', '--chmod=+x', 'build.sh', 'edited.sh');
  gitIn(dir, 'update-index', '--chmod=-x', 'plain.sh');
  const after = commit();
  gitIn(dir, 'reset', '--quiet', '--hard', before);
  fs.appendFileSync(join(dir, 'edited.sh'), 'echo\n');
  const edited = { path: 'edited.sh', isEdited: true };
  t.like(await checkedOut(t, dir, before, after), [edited]);
  gitIn(dir, 'reset', '--quiet', after);
  t.is(gitIn(dir, 'diff-files', '--raw', '--abbrev=4'), ':100755 100644 1a24 0000 M\tedited.sh\n');
});

test('submodules that .gitmodules does not name come, go and change, and the other files follow', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const [first, other] = ['HEAD', 'HEAD^{tree}'].map((name) => gitIn(dir, 'rev-parse', name).trim());
  /** Commits submodules, and files with the text, of exactly these names. */
  const commit = (
    submodules: readonly string[],
    id: string | undefined,
    files: readonly string[],
    text: string,
  ) => {
    gitIn(dir, 'rm', '--quiet', '--cached', '-r', '--ignore-unmatch', '.');
    for (const name of files) {
      fs.rmSync(join(dir, name), { recursive: true, force: true });
      fs.writeFileSync(join(dir, name), text);
      gitIn(dir, 'add', name);
    }
    for (const name of submodules) gitIn(dir, 'update-index', '--add', '--cacheinfo', `160000,${id},${name}`);
    gitIn(dir, 'commit', '--quiet', '-m', text);
    return gitIn(dir, 'rev-parse', 'HEAD').trim();
  };
  const after = commit(['comes', 'changes', 'from-file'], other, ['to-file', 'a.md'], 'after');
  const before = commit(['goes', 'changes', 'to-file'], first, ['from-file', 'a.md'], 'before');
  fs.rmSync(join(dir, 'to-file'));
  for (const name of ['goes', 'changes', 'to-file']) fs.mkdirSync(join(dir, name));
  t.deepEqual(await checkedOut(t, dir, before, after), []);
  gitIn(dir, 'reset', '--quiet', after);
  t.is(gitIn(dir, 'status', '--porcelain', '--untracked-files=all'), '');
  for (const name of ['a.md', 'to-file']) t.is(fs.readFileSync(join(dir, name), 'utf8'), 'after', name);
});

/** Checks out the changes between two commits. @returns those that were not made. */
async function checkedOut(t: ExecutionContext, dir: string, before: string, after: string) {
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const { notFollowed, close } = await checkOutChanges(
    repository,
    await changesBetween(repository, before, after),
    async () => new Map(),
    { folders: createCheckoutFolders(tempDir(t), findLockHelper()), storeLock: createMutex() },
  );
  await close();
  return notFollowed;
}
