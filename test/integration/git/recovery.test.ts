import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { lastingLocks, removeStaleLocks } from '../../../src/git/commit/stale-locks.js';
import { tempDir } from '../../support/temp-dir.js';
import { makeSite, startAndCheck } from './site.js';

test('articles that a crash left uncommitted are committed at the next start', async (t) => {
  const site = await makeSite(t, { folder: 'my site' });
  await site.start();
  const updated = await site.publish('updated');
  const edited = await site.publish('edited');
  await site.untilCommitted(2);
  await site.stop();

  // no plugin runs: as if it had been killed before it came to them
  await site.update('updated', { title: 'Later', revision: 'r2' });
  await site.publish('new');
  const draft = await site.publish('edited-before-its-commit');
  for (const path of [draft, edited]) await site.write(path, `${await site.read(path)}my words\n`);

  await startAndCheck(site);
  t.is(site.committed[0]?.path, updated);
  t.deepEqual((await site.subjects()).slice(3), ['Update: Later', 'Publish: Title of new']);
  t.is(await site.git('show', `HEAD:my site/${updated}`), await site.read(updated));
  t.is(await site.git('status', '--porcelain'), ` M "my site/${edited}"\n?? "my site/${draft}"\n`);
});

/** A running receiver with two committed articles. */
async function siteOfTwo(t: Parameters<typeof makeSite>[0]) {
  const site = await makeSite(t);
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  await site.publish('one');
  await site.publish('two');
  await site.untilCommitted(2);
  return site;
}

test('after the owner has moved the branch back, articles without a commit are committed, but not staged ones, nor what the branch will have when it follows the remote', async (t) => {
  const site = await siteOfTwo(t);
  site.log.length = 0;
  await site.git('reset', '-q', '--soft', 'HEAD~1');
  await site.untilLogged('articles compared with the branch');
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one']);
  t.regex(await site.git('status', '--porcelain'), /^A {2}content/);

  await site.git('reset', '-q', 'HEAD~1');
  await site.untilCommitted(3);
  const all = await site.subjects();
  t.deepEqual([...all].sort(), ['First', 'Publish: Title of one', 'Publish: Title of two']);
  t.is(await site.git('status', '--porcelain'), '');
  await site.stop();

  await site.git('update-ref', 'refs/worktree/pressmark-remote', 'HEAD');
  await site.git('reset', '-q', 'HEAD~1');
  await startAndCheck(site, { upstream: 'refs/worktree/pressmark-remote' });
  t.deepEqual(await site.subjects(), all.slice(0, -1), 'the branch is about to follow the remote');
  await startAndCheck(site);
  t.deepEqual(await site.subjects(), all, 'nothing is pushed any more');
});

test('articles that lost their commits are committed soon, though the receiver has moved the branch on since', async (t) => {
  const site = await siteOfTwo(t);
  await site.git('reset', '-q', 'HEAD~1');
  await site.publish('three');
  await site.untilCommitted(4);
  t.deepEqual((await site.subjects()).sort(), [
    'First',
    'Publish: Title of one',
    'Publish: Title of three',
    'Publish: Title of two',
  ]);
  t.is(await site.git('status', '--porcelain'), '');
});

test('articles that their owner has unstaged after a soft reset, or brought back from a stash, are committed soon', async (t) => {
  const site = await makeSite(t);
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  const path = await site.publish('one');
  await site.untilCommitted(1);
  await site.git('reset', '-q', '--soft', 'HEAD~1');
  await site.untilLogged('articles compared with the branch');
  site.log.length = 0;
  await site.untilLogged('articles compared with the branch');
  await site.git('reset', '-q');
  await site.untilCommitted(2);

  site.log.length = 0;
  await site.git('checkout', '-q', '--detach');
  await site.update('one', { revision: 'r2' });
  await site.untilLogged('on a branch again');
  await site.git('stash', '-q');
  await site.git('checkout', '-q', 'main');
  await site.untilLogged('a text that was not committed was replaced');
  await site.untilLogged('articles compared with the branch');
  await site.git('stash', 'pop', '-q');
  await host.hooks.doAction('article.edited', { path, id: 'one', url: '' });
  await site.untilCommitted(3);
  t.is(await site.git('status', '--porcelain'), '');
});

test('locks from before the start of the machine are removed, others are named', async (t) => {
  const gitDir = tempDir(t);
  await mkdir(join(gitDir, 'refs/heads'), { recursive: true });
  const repository = { gitDir, commonDir: gitDir };
  const [old = '', fresh = ''] = ['index.lock', 'refs/heads/main.lock'].map((name) => join(gitDir, name));
  const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000);
  for (const [path, age] of [
    [old, 10],
    [fresh, 3],
  ] as const) {
    await writeFile(path, '');
    await utimes(path, minutesAgo(age), minutesAgo(age));
  }
  t.deepEqual(lastingLocks(repository), [old, fresh]);
  t.deepEqual(removeStaleLocks(repository, minutesAgo(5).getTime()), [old]);
  t.deepEqual(lastingLocks(repository), [fresh]);
  // One that is still young stays, whenever the machine was started.
  await writeFile(fresh, '');
  t.deepEqual(removeStaleLocks(repository, Date.now()), []);
});
