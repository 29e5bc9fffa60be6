import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import type { GitRun } from '../../../src/git/cli/git.js';
import { blobId, openRepository, type Repository } from '../../../src/git/cli/repository.js';
import type { Branch } from '../../../src/git/commit/head.js';
import { readIndexIntents, rollBackLeftEntries } from '../../../src/git/commit/index-intents.js';
import { createIndexLocker } from '../../../src/git/commit/index-lock.js';
import type { BatchDraft } from '../../../src/git/commit/index-plan.js';
import { commitBatch } from '../../../src/git/commit/transaction.js';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

const log = pino({ level: 'silent' });
const { signal } = new AbortController();

/** A repository with one commit, in which `beforeGit` is called before each git command of Pressmark. */
async function start(t: ExecutionContext, beforeGit: (command: string) => void) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const opened = await openRepository(dir, gitEnvironment(dir));
  if (opened.kind === 'none') throw new Error(opened.because);
  const { git } = opened;
  const repository: Repository = {
    ...opened,
    git: (args: readonly string[], run?: GitRun) => {
      beforeGit(args[0] ?? '');
      return git(args, run);
    },
  };
  const locker = createIndexLocker(repository, findLockHelper(), log);
  t.teardown(() => locker.close());
  const edit = (path: string): BatchDraft => {
    const content = Buffer.from(path);
    return {
      path,
      message: `Edit ${path}\n`,
      blob: { id: blobId(repository, content), content },
      mode: '100644',
      yieldsToStaged: true,
    };
  };
  const branch: Branch = {
    kind: 'branch',
    ref: 'refs/heads/main',
    tip: gitIn(dir, 'rev-parse', 'HEAD').trim(),
  };
  return { dir, repository, locker, edit, branch, context: { repository, locker, log, signal } };
}

/** As a git command does that needs no index, such as an amend. */
function moveBranch(dir: string): void {
  const commit = gitIn(dir, 'commit-tree', '-p', 'HEAD', '-m', 'Second', 'HEAD^{tree}').trim();
  gitIn(dir, 'update-ref', 'refs/heads/main', commit);
}

test('an entry whose commit is not made has its intent until it is set back, also where that fails', async (t) => {
  let moves = 0;
  let isFailing = false;
  const { dir, repository, locker, edit, branch, context } = await start(t, (command) => {
    // The owner's commit comes first.
    if (command === 'update-ref' && ++moves === 1) moveBranch(dir);
    isFailing = moves === 2;
    if (isFailing && command === 'update-index') throw new Error('killed');
  });
  const [one, two] = [edit('one.md'), edit('two.md')];
  const drafting = async ({ tip }: Branch) => (tip === branch.tip ? [one, two] : [two]);
  await t.throwsAsync(commitBatch(branch, drafting, context), { message: 'killed' });
  t.is(gitIn(dir, 'log', '-1', '--format=%s').trim(), 'Edit two.md');
  t.is(gitIn(dir, 'diff', '--cached', '--name-only').trim(), 'one.md');
  const intents = await readIndexIntents(repository);
  t.true(intents.isIntended({ path: 'one.md', blob: one.blob.id }));

  moves = 0;
  t.is(await rollBackLeftEntries(repository, locker, signal), 0, 'its receiver lives');
  await locker.close();
  const next = createIndexLocker(repository, findLockHelper(), log);
  t.is(await rollBackLeftEntries(repository, next, signal), 1);
  await next.close();
  t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '');
  t.true((await readIndexIntents(repository)).isEmpty);
});

test('an entry that is set back has no intent any more', async (t) => {
  let moves = 0;
  const { dir, repository, edit, branch, context } = await start(t, (command) => {
    if (command === 'update-ref' && ++moves === 1) moveBranch(dir);
  });
  const drafting = async ({ tip }: Branch) => [
    edit('two.md'),
    ...(tip === branch.tip ? [edit('one.md')] : []),
  ];
  t.is((await commitBatch(branch, drafting, context)).kind, 'committed');
  t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '');
  t.true((await readIndexIntents(repository)).isEmpty);
});

test('the entry of an article whose commit is not made is set back, also in the middle of a merge', async (t) => {
  const { dir, repository, edit, branch, context } = await start(t, (command) => {
    if (command !== 'update-ref') return;
    // as the last step of a merge that has released the index, and before it another program's lock
    fs.writeFileSync(join(dir, '.git', 'MERGE_HEAD'), `${branch.tip}\n`);
    fs.writeFileSync(join(dir, '.git', 'HEAD.lock'), 'somebody');
  });
  const draft = { ...edit('one.md'), yieldsToStaged: false };
  fs.writeFileSync(join(dir, 'one.md'), draft.blob.content ?? '');
  const result = await commitBatch(branch, async () => [draft], context);
  t.like(result, { kind: 'not now', why: { waitingFor: 'a merge to end' } });
  t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '');
  t.true((await readIndexIntents(repository)).isEmpty);
  fs.rmSync(join(dir, '.git', 'HEAD.lock'));
  gitIn(dir, 'merge', '--abort');
  t.is(fs.readFileSync(join(dir, 'one.md'), 'utf8'), 'one.md');
});

test('an entry has its intent until the branch is on the disk', async (t) => {
  const { repository, edit, branch, context } = await start(t, () => undefined);
  const observed: boolean[] = [];
  const syncRef = async (ref: string) => {
    observed.push(!(await readIndexIntents(repository)).isEmpty);
    await repository.syncRef(ref);
  };
  const observing = { ...context, repository: { ...repository, syncRef } };
  await commitBatch(branch, async () => [edit('one.md')], observing);
  t.true(observed[0]);
  t.true((await readIndexIntents(repository)).isEmpty);
});

test('a delivered article that a receiver has left in the index, killed before the branch, is set back', async (t) => {
  let isKilled = false;
  const { dir, repository, locker, edit, branch, context } = await start(t, (command) => {
    isKilled ||= command === 'update-ref';
    if (isKilled) throw new Error('killed');
  });
  const draft = { ...edit('one.md'), yieldsToStaged: false };
  await t.throwsAsync(
    commitBatch(branch, async () => [draft], context),
    { message: 'killed' },
  );
  await locker.close();
  t.is(gitIn(dir, 'diff', '--cached', '--name-only').trim(), 'one.md');
  isKilled = false;
  const next = createIndexLocker(repository, findLockHelper(), log);
  t.is(await rollBackLeftEntries(repository, next, signal), 1);
  await next.close();
  t.is(gitIn(dir, 'diff', '--cached', '--name-only'), '');
});
