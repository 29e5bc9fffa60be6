import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { PressmarkError } from '../../../src/errors.js';
import { versionAt } from '../../../src/fs/fingerprint.js';
import { buildCommits, writeBlobs } from '../../../src/git/commit/build-commits.js';
import { readHead } from '../../../src/git/commit/head.js';
import {
  moveBranch,
  nextCommits,
  nextRef,
  removeNextRefs,
  stagedByOwner,
} from '../../../src/git/commit/move-branch.js';
import type { Git } from '../../../src/git/git.js';
import { openRepository, type Repository } from '../../../src/git/repository.js';
import { statusOf } from '../../../src/git/status.js';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

const OLGA = { name: 'Olga', email: 'olga@example.org' };
const STYLE = { identity: { author: OLGA, committer: OLGA }, sign: false };
const PATH = 'content/new.md';

/** A repository whose branch is about to be moved to the first commit of a file. */
async function aboutToMove(t: ExecutionContext) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  fs.mkdirSync(join(dir, 'content'));
  fs.writeFileSync(join(dir, PATH), 'new\n');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const head = await readHead(repository);
  if (head.kind === 'not now') throw new Error(head.waitingFor);
  const [content = ''] = await writeBlobs(repository, [PATH]);
  const files = [{ path: PATH, content, mode: '100644', message: 'New' }];
  const commits = await buildCommits(repository, head.tip, files, STYLE);
  const index = versionAt(join(dir, '.git/index'));
  const news = { files, commits, staged: new Set<string>(), index, since: performance.now() };
  const move = async () => {
    const moved = await moveBranch(repository, head, news);
    await moved?.tidied;
    return moved !== undefined;
  };
  return { dir, move, repository, head, content, news };
}

async function staged(repository: Repository): Promise<string[]> {
  return [...(await stagedByOwner(repository, await statusOf(repository, [PATH])))];
}

// What stays in the index looks to every other receiver as if the owner had staged it, and would never be committed.

test('where the branch cannot be moved, a new file is not left in the index', async (t) => {
  const { dir, move } = await aboutToMove(t);
  const lock = join(dir, '.git/refs/heads/main.lock');
  fs.writeFileSync(lock, '');
  await t.throwsAsync(move, { code: 'GIT_FAILED' });
  t.is(gitIn(dir, 'status', '--porcelain', '-uall'), `?? ${PATH}\n`);
  fs.rmSync(lock);
  t.true(await move());
  t.is(gitIn(dir, 'status', '--porcelain', '-uall'), '');
});

test('where the branch’s command fails before the index is written, a new file is not left in the index', async (t) => {
  const { dir, repository, head, news } = await aboutToMove(t);
  const running: Promise<unknown>[] = [];
  const git: Git = async (args, run) => {
    if (args.includes('-m')) throw new PressmarkError('GIT_FAILED', 'no process is left');
    if (args[0] !== 'update-index') return repository.git(args, run);
    const late = setTimeout(1_000).then(() => repository.git(args, run));
    running.push(late);
    return late;
  };
  await t.throwsAsync(moveBranch({ ...repository, git }, head, news), { message: 'no process is left' });
  await Promise.all(running);
  t.is(gitIn(dir, 'status', '--porcelain', '-uall'), `?? ${PATH}\n`);
  t.is(gitIn(dir, 'for-each-ref', 'refs/worktree'), '');
});

test('what a killed receiver has put into the index is not the owner’s, also after another receiver’s commits', async (t) => {
  const { dir, repository, head, content, news } = await aboutToMove(t);
  // What a receiver leaves that is killed before the branch moves.
  gitIn(dir, 'update-ref', nextRef(), news.commits[0] ?? '');
  gitIn(dir, 'update-index', '--add', '--cacheinfo', `100644,${content},${PATH}`);
  fs.writeFileSync(join(dir, 'content/other.md'), 'other');
  const [blob = ''] = await writeBlobs(repository, ['content/other.md']);
  const files = [{ path: 'content/other.md', content: blob, mode: '100644', message: 'Other' }];
  const commits = await buildCommits(repository, head.tip, files, STYLE);
  t.truthy(await moveBranch(repository, head, { ...news, files, commits }));
  t.deepEqual(await staged(repository), []);
  await removeNextRefs(repository, await nextCommits(repository));
  t.deepEqual(await staged(repository), [PATH]);
});

test('what the owner stages at the very path just before the index is locked stays staged', async (t) => {
  const { dir, repository, head, news } = await aboutToMove(t);
  const git: Git = async (args, run) => {
    if (args[0] === 'update-index' && (await staged(repository)).length === 0) {
      fs.writeFileSync(join(dir, PATH), 'mine\n');
      gitIn(dir, 'add', PATH);
    }
    return repository.git(args, run);
  };
  t.is(await moveBranch({ ...repository, git }, head, news), undefined);
  t.is(gitIn(dir, 'show', `:${PATH}`), 'mine\n');
});

test('where a rebase has begun, a new file never comes into the index, as the rebase would commit it', async (t) => {
  const { dir, repository, head, news } = await aboutToMove(t);
  const git: Git = async (args, run) => {
    if (args[0] === 'update-ref') fs.mkdirSync(join(dir, '.git/rebase-merge'), { recursive: true });
    const answer = await repository.git(args, run);
    t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '', args.join(' '));
    return answer;
  };
  t.is(await moveBranch({ ...repository, git }, head, news), undefined);
  t.is(gitIn(dir, 'for-each-ref', 'refs/worktree'), '');
});

test('a rebase that begins around the lock of the index gets no new file: HEAD is checked for each attempt, when the index is locked', async (t) => {
  for (const isLockedBefore of [true, false]) {
    const what = isLockedBefore ? 'the rebase has the lock first' : 'git is slow to take the lock';
    const { dir, repository, head, news } = await aboutToMove(t);
    const lock = join(dir, '.git/index.lock');
    if (isLockedBefore) fs.writeFileSync(lock, '');
    let attempts = 0;
    const git: Git = async (args, run) => {
      if (args[0] !== 'update-index') return repository.git(args, run);
      attempts++;
      const rebase = () => fs.mkdirSync(join(dir, '.git/rebase-merge'));
      if (isLockedBefore && attempts === 1)
        return repository.git(args, run).finally(() => {
          fs.rmSync(lock);
          rebase();
        });
      if (attempts === 1) {
        await setTimeout(300); // the branch is marked by then, and HEAD was still on it
        rebase();
      }
      const answer = await repository.git(args, run);
      t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '', what);
      return answer;
    };
    t.is(await moveBranch({ ...repository, git }, head, news), undefined, what);
    t.is(attempts, isLockedBefore ? 2 : 1, what);
  }
});

test('where the owner switches branches just before the branch moves, the new file is neither there nor staged on the other one', async (t) => {
  for (const isUnborn of [false, true]) {
    const { dir, repository, head, news } = await aboutToMove(t);
    if (isUnborn) gitIn(dir, 'update-ref', '-d', 'HEAD');
    const tip = isUnborn ? null : head.tip;
    const commits = await buildCommits(repository, tip, news.files, STYLE);
    const git: Git = async (args, run) => {
      const { input } = run ?? {};
      if (!args.includes('-m') || input === undefined || typeof input === 'string' || Buffer.isBuffer(input))
        return repository.git(args, run);
      const late = async function* () {
        yield* input;
        gitIn(
          dir,
          ...(isUnborn ? ['symbolic-ref', 'HEAD', 'refs/heads/other'] : ['checkout', '-qb', 'other']),
        );
      };
      return repository.git(args, { ...run, input: late() });
    };
    t.is(await moveBranch({ ...repository, git }, { ...head, tip }, { ...news, commits }), undefined);
    t.is(gitIn(dir, 'status', '--porcelain', '-uall'), `?? ${PATH}\n`);
    t.is(
      gitIn(dir, 'for-each-ref', '--format=%(subject)', 'refs/heads/main', 'refs/worktree').trim(),
      isUnborn ? '' : 'First',
    );
  }
});

test('a bisect that begins when the branch has just moved leaves the commit where it is', async (t) => {
  const { dir, repository, head, news } = await aboutToMove(t);
  const git: Git = async (args, run) => {
    const ended = await repository.git(args, run);
    if (args.includes('-m')) fs.writeFileSync(join(dir, '.git/BISECT_LOG'), '');
    return ended;
  };
  const moved = await moveBranch({ ...repository, git }, head, news);
  await moved?.tidied;
  t.true(moved !== undefined && news.commits.includes(gitIn(dir, 'rev-parse', 'main').trim()));
  t.is(gitIn(dir, 'status', '--porcelain', '-uall'), '');
});

test('what the owner commits while an entry is taken back stays in the index', async (t) => {
  const { dir, repository, head, content, news } = await aboutToMove(t);
  let indexed = 0;
  const git: Git = async (args, run) => {
    if (args[0] === 'update-index' && ++indexed === 2) gitIn(dir, 'commit', '--quiet', '-m', 'Mine');
    const answer = await repository.git(args, run);
    if (args[0] === 'update-index' && indexed === 1) gitIn(dir, 'checkout', '--quiet', '-b', 'mine');
    return answer;
  };
  t.is(await moveBranch({ ...repository, git }, head, news), undefined);
  t.is(indexed > 1 && gitIn(dir, 'status', '--porcelain', '-uall'), '');
  t.is(gitIn(dir, 'rev-parse', `HEAD:${PATH}`).trim(), content);
});
