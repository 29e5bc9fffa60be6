import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { restoreTornFiles } from '../../../../src/git/push/torn-files.js';
import { openRepository } from '../../../../src/git/repository.js';
import { commitAndPush, gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

/** Two clones, of which `b` has pushed a change that `a` has fetched and not followed. */
async function clones(t: ExecutionContext) {
  const remote = makeRemote(tempDir(t));
  const [a, b] = [remote.clone('a'), remote.clone('b')];
  for (const path of ['content/one.md', 'content/two.md', 'content/old/three.md'])
    commitAndPush(b, path, 'first\n');
  gitIn(a, 'pull', '--quiet');
  gitIn(b, 'rm', '--quiet', 'content/old/three.md');
  commitAndPush(b, 'content/one.md', 'second\n');
  const tip = commitAndPush(b, 'content/new.md', 'new\n');
  gitIn(a, 'fetch', '--quiet');
  const repository = await openRepository(a, gitEnvironment(a));
  if (repository.kind === 'none') throw new Error(repository.because);
  const followTip = () =>
    follow(tip, { repository, author: undefined, ref: 'refs/heads/main', whileLocked: (work) => work() });
  const head = () => gitIn(a, 'rev-parse', 'HEAD').trim();
  const status = () => gitIn(a, 'status', '--porcelain', '--', 'content');
  return { a, b, repository, tip, followTip, head, status };
}

// One after the other: their own git commands hold up this process, and with it the time limits of those under test.

test.serial('the branch, the index and the work tree follow, and the changed files are named', async (t) => {
  const { a, tip, followTip, head, status } = await clones(t);
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

test.serial('files that a killed merge has written already are no obstacle', async (t) => {
  const { a, tip, followTip, head, status } = await clones(t);
  fs.writeFileSync(join(a, 'content/new.md'), 'new\n');
  fs.writeFileSync(join(a, 'content/one.md'), 'second\n');
  fs.rmSync(join(a, 'content/old/three.md'));
  t.like(await followTip(), { kind: 'followed' });
  t.is(head(), tip);
  t.is(status(), '');
});

test.serial('nor those of a merge to a commit that the branch has left behind', async (t) => {
  const { a, b, repository } = await clones(t);
  fs.writeFileSync(join(a, 'content/one.md'), 'second\n');
  fs.writeFileSync(join(a, 'content/new.md'), 'new\n');
  commitAndPush(b, 'content/one.md', 'third\n');
  const tip = commitAndPush(b, 'content/new.md', 'newer\n');
  gitIn(a, 'fetch', '--quiet');
  t.like(
    await follow(tip, {
      repository,
      author: undefined,
      ref: 'refs/heads/main',
      whileLocked: (work) => work(),
    }),
    {
      kind: 'followed',
    },
  );
  t.is(gitIn(a, 'status', '--porcelain', '--', 'content'), '');
});

for (const [what, tear] of [
  ['empty', () => ''],
  ['cut off', (text: string) => text.slice(0, 2)],
  ['full of zeros', (text: string) => '\0'.repeat(text.length)],
  ['zeros at its end', (text: string) => `${text.slice(0, 2)}\0`],
] as const)
  test.serial(`files that a power loss has torn in a merge are no obstacle: ${what}`, async (t) => {
    const { a, tip, followTip, head, status } = await clones(t);
    fs.writeFileSync(join(a, 'content/new.md'), tear('new\n'));
    fs.writeFileSync(join(a, 'content/one.md'), tear('second\n'));
    t.like(await followTip(), { kind: 'followed' });
    t.is(head(), tip);
    t.is(status(), '');
    t.is(fs.readFileSync(join(a, 'content/one.md'), 'utf8'), 'second\n');
  });

test.serial('where a person’s file is in the way as well, a torn one stays', async (t) => {
  const { a, followTip, head } = await clones(t);
  const before = head();
  fs.writeFileSync(join(a, 'content/new.md'), 'mine\n');
  fs.writeFileSync(join(a, 'content/one.md'), 'sec');
  t.like(await followTip(), { kind: 'waiting' });
  t.is(head(), before);
  t.is(fs.readFileSync(join(a, 'content/one.md'), 'utf8'), 'sec');
});

test.serial(
  'files that a power loss has torn after the merge are as HEAD has them again, and no other one is touched',
  async (t) => {
    const { a, b, followTip, repository, status } = await clones(t);
    commitAndPush(b, 'content/edited.md', 'edited\n');
    gitIn(a, 'pull', '--quiet');
    await followTip();
    fs.writeFileSync(join(a, 'content/one.md'), 'sec\0');
    fs.writeFileSync(join(a, 'content/new.md'), '');
    fs.writeFileSync(join(a, 'content/edited.md'), 'edited\nmine\n');
    fs.rmSync(join(a, 'content/two.md'));
    t.deepEqual(await restoreTornFiles(repository, 'content/'), ['content/new.md', 'content/one.md']);
    t.is(status(), ' M content/edited.md\n D content/two.md\n');
    t.deepEqual(await restoreTornFiles(repository, 'content/'), []);
  },
);

for (const [what, path, stage] of [
  ['edited', 'content/one.md', false],
  ['staged', 'content/one.md', true],
  ['added', 'content/new.md', false],
] as const)
  test.serial(
    `where a person has ${what} a file that the remote has changed, nothing is changed, and the file is named`,
    async (t) => {
      const { a, tip, followTip, head, status } = await clones(t);
      fs.writeFileSync(join(a, path), 'mine\n');
      // another one, as if a merge had been killed
      fs.writeFileSync(join(a, 'content/two.md'), 'mine as well\n');
      if (stage) gitIn(a, 'add', path);
      const [before, changes] = [head(), status()];
      t.deepEqual(await followTip(), {
        kind: 'waiting',
        waitingFor: `you to commit or restore ${path}, which the remote has changed`,
      });
      t.is(head(), before);
      t.is(status(), changes);
      t.is(fs.readFileSync(join(a, path), 'utf8'), 'mine\n');

      if (stage) gitIn(a, 'reset', '--quiet', path);
      if (what === 'added') fs.rmSync(join(a, path));
      else gitIn(a, 'restore', path);
      t.like(await followTip(), { kind: 'followed' });
      t.is(head(), tip);
      t.is(status(), ' M content/two.md\n', 'what the remote has not changed stays as it is');
    },
  );
