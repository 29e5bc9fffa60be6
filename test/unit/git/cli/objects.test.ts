import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAt, objectsNamed } from '../../../../src/git/cli/objects.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { blobsAt } from '../../../../src/git/cli/tree.js';
import { readHead } from '../../../../src/git/commit/head.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

async function open(dir: string) {
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  return repository;
}

async function startRepository(t: ExecutionContext, ...init: string[]) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main', ...init);
  const git = (...args: string[]) => gitIn(dir, ...args).trim();
  const commit = (text: string) => {
    fs.writeFileSync(join(dir, 'a.md'), text);
    git('add', 'a.md');
    git('commit', '--quiet', '-m', text);
  };
  const repository = await open(dir);
  /** Asserts that the git that stays says what a new one says. */
  const assertSame = async (what: string) => {
    const head = git('rev-parse', 'HEAD');
    t.is(await commitAt(repository, 'HEAD'), head, what);
    t.is(await commitAt(repository, 'refs/heads/main'), git('rev-parse', 'refs/heads/main'), what);
    const [blob] = await objectsNamed(repository, ['HEAD:a.md']);
    t.deepEqual(blob, { type: 'blob', id: git('rev-parse', 'HEAD:a.md') }, what);
    t.deepEqual(await blobsAt(repository, head, ['a.md', 'none']), new Map([['a.md', blob?.id ?? '']]), what);
    const [ref = null] = [git('branch', '--show-current')].filter((name) => name !== '');
    const found = await readHead(repository);
    if (ref === null) t.like(found, { waitingFor: 'HEAD to be on a branch again', tip: head }, what);
    else t.deepEqual(found, { kind: 'branch', ref: `refs/heads/${ref}`, tip: head }, what);
  };
  return { dir, git, commit, repository, assertSame };
}

/** Changes refs and objects in each way that git has, while one git is being asked. */
async function followChanges({ git, commit, assertSame }: Awaited<ReturnType<typeof startRepository>>) {
  commit('one');
  await assertSame('a first commit');
  commit('two');
  await assertSame('a loose ref');
  git('pack-refs', '--all', '--prune');
  await assertSame('packed refs');
  commit('three');
  await assertSame('a loose ref over a packed one');
  git('repack', '-q', '-a', '-d');
  commit('four');
  git('gc', '--quiet', '--prune=now');
  await assertSame('packs that have been replaced');
  git('checkout', '--quiet', '-b', 'other');
  commit('five');
  await assertSame('another branch');
  git('checkout', '--quiet', '--detach', 'main');
  await assertSame('a detached HEAD');
  git('checkout', '--quiet', 'main');
  await assertSame('the first branch again');
  git('branch', '-m', 'main', 'trunk');
  git('branch', 'main', 'other');
  await assertSame('a renamed branch');
  git('reset', '--quiet', '--hard', 'HEAD~2');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '--quiet', '--prune=now');
  await assertSame('a branch that went back');
}

test('a git that stays follows every change of refs and objects', async (t) => {
  const started = await startRepository(t);
  t.deepEqual(await readHead(started.repository), { kind: 'branch', ref: 'refs/heads/main', tip: null });
  await followChanges(started);
});

test('so it does where refs are in the reftable format', async (t) => {
  const dir = tempDir(t);
  try {
    gitIn(dir, 'init', '--quiet', '--ref-format=reftable');
  } catch {
    t.log('this git does not have it');
    t.pass();
    return;
  }
  await followChanges(await startRepository(t, '--ref-format=reftable'));
});

test('a linked work tree has its own HEAD', async (t) => {
  const { dir, git, commit, repository } = await startRepository(t);
  commit('one');
  git('worktree', 'add', '--quiet', '-b', 'side', join(dir, 'linked'));
  const linked = await open(join(dir, 'linked'));
  const side = await commitAt(linked, 'HEAD');
  commit('two');
  t.is(await commitAt(linked, 'HEAD'), side);
  t.deepEqual(await readHead(linked), { kind: 'branch', ref: 'refs/heads/side', tip: side });
  t.is(await commitAt(repository, 'HEAD'), git('rev-parse', 'HEAD'));
});

test('a HEAD that is written in another way, or a repository that has taken its place, is seen', async (t) => {
  const { dir, git, commit, repository, assertSame } = await startRepository(t);
  commit('one');
  await assertSame('before');
  fs.writeFileSync(join(dir, '.git', 'HEAD'), 'ref:  refs/heads/main\n');
  await assertSame('a second space');
  fs.rmSync(join(dir, '.git'), { recursive: true });
  git('init', '--quiet', '--initial-branch=main');
  t.is(await commitAt(repository, 'HEAD'), null);
  commit('another first');
  await assertSame('another repository');
});

test('names that nothing has, or that more than one object has, are nothing', async (t) => {
  const { git, commit, repository } = await startRepository(t);
  commit('one');
  const blob = git('rev-parse', 'HEAD:a.md');
  const names = [
    'HEAD:none',
    'refs/pressmark/parked^{commit}',
    'HEAD: with spaces',
    '',
    `${blob}^{commit}`,
    'HEAD:a.md\nHEAD',
    blob,
  ];
  t.deepEqual(await objectsNamed(repository, names), [
    ...Array.from({ length: 6 }, () => undefined),
    { type: 'blob', id: blob },
  ]);
  await t.throwsAsync(blobsAt(repository, '1'.repeat(40), ['a.md']), { code: 'GIT_FAILED' });
});

test('a path with a line end is found as well', async (t) => {
  const { dir, git, repository } = await startRepository(t);
  fs.writeFileSync(join(dir, 'a\nb'), 'x');
  git('add', '.');
  git('commit', '--quiet', '-m', 'One');
  const found = await blobsAt(repository, git('rev-parse', 'HEAD'), ['a\nb', 'c']);
  t.deepEqual([...found.keys()], ['a\nb']);
});
