import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { isTorn, restoreTornFiles } from '../../../../src/git/push/torn-files.js';
import { openRepository } from '../../../../src/git/repository.js';
import { commitAndPush, commitFile, gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { withSigner } from '../../../support/commit-signer.js';
import { makeTempDir, removeTempDir, tempDir } from '../../../support/temp-dir.js';

/** A remote and two clones, of which `b` has pushed a change that `a` has fetched and not followed. */
const template = makeTempDir();
test.serial.before(() => {
  const remote = makeRemote(template);
  const [a, b] = [remote.clone('a'), remote.clone('b')];
  for (const path of ['content/one.md', 'content/two.md', 'content/old/three.md'])
    commitFile(b, path, 'first\n');
  gitIn(b, 'push', '--quiet');
  gitIn(a, 'pull', '--quiet');
  gitIn(b, 'rm', '--quiet', 'content/old/three.md');
  commitFile(b, 'content/one.md', 'second\n');
  commitAndPush(b, 'content/new.md', 'new\n');
  gitIn(a, 'fetch', '--quiet');
  for (const clone of [a, b]) gitIn(clone, 'remote', 'set-url', 'origin', '../remote.git');
});
test.after.always(() => removeTempDir(template));

/** A copy of the template. */
async function clones(t: ExecutionContext) {
  const folder = tempDir(t);
  fs.cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  const [a, b] = [join(folder, 'a'), join(folder, 'b')];
  const repository = await openRepository(a, gitEnvironment(a));
  if (repository.kind === 'none') throw new Error(repository.because);
  const tip = gitIn(b, 'rev-parse', 'HEAD').trim();
  const followTo = (commit: string, whileWaiting: () => unknown = () => undefined, sign = false) =>
    follow(commit, {
      repository,
      author: { name: 'Bot', email: 'bot@example.org' },
      sign,
      ref: 'refs/heads/main',
      whileLocked: (work) => {
        whileWaiting();
        return work();
      },
    });
  const followTip = () => followTo(tip);
  const head = () => gitIn(a, 'rev-parse', 'HEAD').trim();
  const status = () => gitIn(a, 'status', '--porcelain', '--', 'content');
  return { a, b, repository, tip, followTo, followTip, head, status };
}

/** Commits a file as Pressmark commits an article. */
function commitArticle(clone: string, path: string, text: string): string {
  commitFile(clone, path, text);
  gitIn(clone, 'commit', '--quiet', '--amend', '-m', `Publish: ${path}\n\nArticle-Id: ${path}`);
  return gitIn(clone, 'rev-parse', 'HEAD').trim();
}

// One after the other: their own git commands hold up this process, and with it the time limits of those under test.

test.serial('the branch, the index and the work tree follow, and the changed files are named', async (t) => {
  const { a, tip, followTip, head, status } = await clones(t);
  gitIn(a, 'pack-refs', '--all'); // as git's housekeeping does
  const followed = await followTip();
  if (followed.kind === 'waiting') return t.fail(followed.waitingFor);
  t.deepEqual(
    followed.changes.map(({ path, after }) => [path, after !== null]),
    [
      ['content/new.md', true],
      ['content/old/three.md', false],
      ['content/one.md', true],
    ],
  );
  t.is(head(), tip);
  t.is(status(), '');
  t.is(fs.readFileSync(join(a, 'content/one.md'), 'utf8'), 'second\n');
});

test.serial(
  'a branch to which the owner switches while the lock is waited for stays where it is',
  async (t) => {
    const { a, tip, followTo, head } = await clones(t);
    const before = head();
    const waitingFor = 'HEAD to be on main again';
    t.deepEqual(await followTo(tip, () => gitIn(a, 'checkout', '--quiet', '-b', 'drafts')), {
      kind: 'waiting',
      waitingFor,
    });
    t.is(head(), before);
  },
);

test.serial(
  'files that a killed merge has written already are no obstacle, also where the remote has moved on since',
  async (t) => {
    const { a, b, followTo, status } = await clones(t);
    fs.writeFileSync(join(a, 'content/one.md'), 'second\n');
    fs.writeFileSync(join(a, 'content/new.md'), 'n\0\0\0'); // the power has failed as well
    fs.rmSync(join(a, 'content/old/three.md'));
    commitFile(b, 'content/one.md', 'third\n');
    const tip = commitAndPush(b, 'content/new.md', 'newer\n');
    gitIn(a, 'fetch', '--quiet');
    t.like(await followTo(tip), { kind: 'followed' });
    t.is(status(), '');
  },
);

for (const [what, bytes, expected] of [
  ['empty', '', true],
  ['zeros at its end', 'sec\0\0\0\0', true],
  ['without its end, which a person has removed', 'sec', false],
  ['whole', 'second\n', false],
  ['another text', 'sea\n', false],
  ['longer', 'second\nmine\n', false],
] as const)
  test(`what a power loss may have left of a file: ${what}: ${expected}`, (t) => {
    t.is(isTorn(Buffer.from(bytes), Buffer.from('second\n')), expected);
  });

test('a power loss may have left the first blocks of a long file, and no part of a block', (t) => {
  const whole = Buffer.alloc(10_000, 'a');
  t.true(isTorn(whole.subarray(0, 4_096), whole));
  t.false(isTorn(whole.subarray(0, 4_097), whole));
});

test.serial(
  'articles of this clone are merged with the commits of people that the remote has, signed, or not while the signer fails',
  async (t) => {
    const { a, tip, followTo, head } = await clones(t);
    const mine = commitArticle(a, 'content/mine.md', 'mine\n');
    fs.writeFileSync(join(a, 'notes.txt'), 'not committed\n');
    const followTip = () => followTo(tip, undefined, true);
    gitIn(a, 'config', 'gpg.program', 'false');
    await t.throwsAsync(followTip(), { code: 'GIT_FAILED' });
    t.is(head(), mine);
    const isSigned = withSigner(a, tempDir(t));
    t.like(await followTip(), { kind: 'followed' });
    t.true(isSigned());
    t.is(gitIn(a, 'rev-parse', 'HEAD^1', 'HEAD^2'), `${mine}\n${tip}\n`);
    t.is(
      gitIn(a, 'log', '-1', '--format=%s by %an <%ae>, %cn').trim(),
      'Merge main of the remote by Bot <bot@example.org>, Bot',
    );
    t.is(fs.readFileSync(join(a, 'content/one.md'), 'utf8'), 'second\n');
    t.is(fs.readFileSync(join(a, 'content/mine.md'), 'utf8'), 'mine\n');
    t.is(gitIn(a, 'status', '--porcelain'), '?? notes.txt\n');
    const merge = head();
    t.deepEqual(await followTip(), { kind: 'followed', changes: [] }, 'it has that already');
    t.is(head(), merge);
  },
);

const MERGE =
  'you to merge main with the remote’s (git pull, git push): both have commits of people that the other has not, or ' +
  'change the same lines';

test.serial(
  'where only a person can merge, nothing is changed: both sides have commits of people, or change the same lines, or have no commit in common',
  async (t) => {
    const { a, followTip, head } = await clones(t);
    const start = head();
    for (const change of [
      () => commitFile(a, 'mine.txt', 'mine\n'),
      () => commitArticle(a, 'content/one.md', 'mine\n'),
      () => {
        gitIn(a, 'checkout', '--quiet', '--orphan', 'other');
        commitArticle(a, 'content/other.md', 'other\n');
        gitIn(a, 'branch', '--quiet', '-M', 'main');
      },
    ]) {
      change();
      const [before, files] = [head(), gitIn(a, 'status', '--porcelain')];
      t.deepEqual(await followTip(), { kind: 'waiting', waitingFor: MERGE });
      t.is(head(), before);
      t.is(gitIn(a, 'status', '--porcelain'), files);
      t.false(fs.existsSync(join(a, '.git/MERGE_HEAD')));
      gitIn(a, 'reset', '--quiet', '--hard', start);
    }
  },
);

test.serial(
  'files that a power loss has torn after the merge are as HEAD has them again, and no other one is touched',
  async (t) => {
    const { a, b, followTip, repository, status } = await clones(t);
    commitAndPush(b, 'content/edited.md', 'edited\nwith an end\n');
    gitIn(a, 'pull', '--quiet');
    await followTip();
    fs.writeFileSync(join(a, 'content/one.md'), 'sec\0\0\0\0');
    fs.writeFileSync(join(a, 'content/new.md'), '');
    fs.writeFileSync(join(a, 'content/edited.md'), 'edited\n');
    fs.rmSync(join(a, 'content/two.md'));
    t.deepEqual(await restoreTornFiles(repository, 'content/'), ['content/new.md', 'content/one.md']);
    t.is(status(), ' M content/edited.md\n D content/two.md\n');
    t.deepEqual(await restoreTornFiles(repository, 'content/'), []);
  },
);

test.serial(
  'where a person has edited, staged or added a file that the remote has changed, nothing is changed, also of one that is torn, and the file is named',
  async (t) => {
    const { a, tip, followTip, head, status } = await clones(t);
    // another one, as if a merge had been killed
    fs.writeFileSync(join(a, 'content/two.md'), 'mine as well\n');
    const before = head();
    for (const [what, path, torn] of [
      ['edited', 'content/one.md', 'content/new.md'],
      ['staged', 'content/one.md', 'content/new.md'],
      ['added', 'content/new.md', 'content/one.md'],
    ] as const) {
      fs.writeFileSync(join(a, path), 'mine\n');
      if (what === 'staged') gitIn(a, 'add', path);
      fs.writeFileSync(join(a, torn), '');
      const changes = status();
      t.deepEqual(await followTip(), {
        kind: 'waiting',
        waitingFor: 'you to commit or restore content/one.md, content/new.md, which the remote has changed',
      });
      t.is(head(), before, what);
      t.is(status(), changes, what);
      t.is(fs.readFileSync(join(a, path), 'utf8'), 'mine\n');
      fs.rmSync(join(a, 'content/new.md'));
      if (what !== 'added') gitIn(a, 'restore', '--staged', '--worktree', path);
    }
    t.like(await followTip(), { kind: 'followed' }, 'one.md is torn still');
    t.is(head(), tip);
    t.is(status(), ' M content/two.md\n', 'what the remote has not changed stays as it is');
  },
);
