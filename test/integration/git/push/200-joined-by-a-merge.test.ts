import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { identityOf } from '../../../../src/git/commit/identity.js';
import { follow } from '../../../../src/git/push/follow.js';
import { gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import {
  eventually,
  health,
  isClean,
  PUBLISHED,
  published,
  retitle,
  SHARING_EDITS,
  subjects,
  UPDATED,
} from './editing.js';
import { followerOf } from './follower.js';
import { configure } from './pushing-site.js';

// A merge of the follower joins a person's commit and the remote's version of the same article line by line.

test('an edit of a text that a merge has joined is made from the remote’s version, and is pushed once the merge is', async (t) => {
  const clones = makeRemote(tempDir(t), undefined, SHARING_EDITS);
  const [a, b] = await Promise.all(['a', 'b'].map((name) => launchMachine(clones.clone(name))));
  if (a === undefined || b === undefined) return t.fail();
  t.teardown(() => Promise.all([a, b].map(({ kill }) => kill('SIGKILL'))));
  const { path } = await published(a, b);
  const file = join(b.dir, path);

  // It sleeps until the edit is committed: it would push it.
  b.signal('SIGSTOP');
  fs.appendFileSync(file, '\nA line of b.\n');
  gitIn(b.dir, 'commit', '--quiet', '-m', 'A line', '--', path);
  retitle(a, path, 'Of a');
  await until('the edit of a is on the remote', () => subjects(clones, path).length === 2);
  b.signal('SIGCONT');
  await until(
    'the merge is in the work tree of b',
    () => isClean(b.dir, path) && /^title: "Of a"$/m.test(fs.readFileSync(file, 'utf8')),
  );
  const joined = fs.readFileSync(file, 'utf8');
  t.true(joined.endsWith('\nA line of b.\n'));
  t.is(subjects(clones, path).length, 2, 'what a person has not pushed stays in the clone');

  fs.appendFileSync(file, '\nAnother line of b.\n');
  const reason = async () => (await health(b)).push.unsharedEdits.map(({ why }) => why).join();
  await until('b names the commit that must be pushed first', async () => /not pushed/.test(await reason()));
  t.is(subjects(clones, path).length, 2);
  await eventually('the person can push', () => gitIn(b.dir, 'push', '--quiet', 'origin', 'HEAD:main'));
  await until(
    'the edit is on the remote',
    () => clones.git('show', `main:${path}`) === `${joined}\nAnother line of b.\n`,
  );
  await until('b is clean again', () => isClean(b.dir, path));
  await until('b names no edit', async () => (await reason()) === '');
});

/** A clone at level `disk` with a person's commit of an article that the remote has updated meanwhile. */
async function cloneWithCommit(t: ExecutionContext) {
  const clones = makeRemote(tempDir(t), undefined, SHARING_EDITS);
  const a = await launchMachine(clones.clone('a'));
  t.teardown(() => a.kill('SIGKILL'));
  const { path, first, change } = await published(a);
  const dir = clones.clone('b');
  gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
  configure(dir, { commitEdits: true, push: { debounce: 100 } });
  fs.appendFileSync(join(dir, '.git', 'info', 'exclude'), '.gitconfig\n');
  const file = join(dir, path);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^slug: /m, 'mood: "calm"\nslug: '));
  gitIn(dir, 'commit', '--quiet', '-m', 'A mood', '--', path);
  t.is((await a.post('article.updated', change(first))).status, 200);
  return { clones, dir, path, file };
}

/** Follows the remote, and is killed when the files are written and nothing else is. */
async function followAndDie(t: ExecutionContext, dir: string): Promise<void> {
  const { repository, locker, worktree, log } = await followerOf(dir);
  gitIn(dir, 'fetch', '--quiet', 'origin', 'main:refs/pressmark/remote');
  const following = follow(gitIn(dir, 'rev-parse', 'refs/pressmark/remote').trim(), {
    repository,
    locker,
    identity: await identityOf(repository.git),
    ref: 'refs/heads/main',
    log,
    signal: new AbortController().signal,
    folder: 'content/',
    onFiles: () => undefined,
    worktree: {
      ...worktree,
      bases: {
        ...worktree.bases,
        recordStale: async () => {
          throw new Error('killed');
        },
      },
    },
  });
  await t.throwsAsync(following, { message: 'killed' });
  await Promise.all([locker.close(), worktree.close()]);
}

test('a text that a merge has joined just before a kill is not committed as an edit of the version before', async (t) => {
  const { clones, dir, path, file } = await cloneWithCommit(t);
  await followAndDie(t, dir);
  const joined = fs.readFileSync(file, 'utf8');
  t.regex(joined, /^mood: "calm"$/m);
  t.regex(joined, /Rewritten as /);
  t.not(gitIn(dir, 'show', `HEAD:${path}`), joined);

  const b = await launchMachine(dir);
  t.teardown(() => b.kill('SIGKILL'));
  await until('the remote has the joined text', () => clones.git('show', `main:${path}`) === joined);
  await until('b is clean', () => isClean(dir, path) && gitIn(dir, 'status', '--porcelain') === '');
  const commits = clones.git('log', '--no-merges', '--format=%s', 'main').trim().split('\n').sort();
  t.deepEqual(commits, ['A mood', 'First', PUBLISHED, UPDATED]);
  retitle(b, path, 'By hand');
  await until('the next edit is committed and pushed', () =>
    /^title: "By hand"$/m.test(clones.git('show', `main:${path}`)),
  );
});

test('an edit of a text that a merge had joined before a kill is made from the new version', async (t) => {
  const { clones, dir, path, file } = await cloneWithCommit(t);
  await followAndDie(t, dir);
  fs.appendFileSync(file, '\nA line of b.\n');
  const edited = fs.readFileSync(file, 'utf8');
  const b = await launchMachine(dir);
  t.teardown(() => b.kill('SIGKILL'));
  await until('b has the merge', () => /Rewritten as /.test(gitIn(dir, 'show', `HEAD:${path}`)));
  fs.writeFileSync(file, `${edited}Saved again.\n`);
  await until(
    'the edit is committed and pushed',
    () => clones.git('show', `main:${path}`) === `${edited}Saved again.\n`,
  );
  t.true(isClean(dir, path));
});
