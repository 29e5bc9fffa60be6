import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { article } from '../../support/events.js';
import type { Receiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gitThatFails } from './failing-git.js';

// A receiver is killed before what it has acknowledged is committed, taken from what is parked, or pushed, and it is never
// started again. The other receivers on the folder finish its work.

function makeSite(t: ExecutionContext, settings: object): string {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, ...settings }));
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  return dir;
}

async function launchOne(t: ExecutionContext, dir: string, env: NodeJS.Dict<string> = {}) {
  const receiver = await launchIn(dir, { env });
  t.teardown(() => receiver.kill('SIGKILL'));
  return receiver;
}

/** @returns the subject of the commit that the article should have. */
async function publish(t: ExecutionContext, receiver: Receiver, title: string): Promise<string> {
  t.is((await receiver.post('article.published', article({ title }))).status, 200);
  return `Publish: ${title}`;
}

const subjectsOf = (dir: string, ...revision: string[]) =>
  gitIn(dir, 'log', '--format=%s', ...revision)
    .split('\n')
    .filter((line) => line.startsWith('Publish: '))
    .sort();

test('what a receiver had acknowledged is committed by two others under load', async (t) => {
  const dir = makeSite(t, {});
  const survivors = [await launchOne(t, dir), await launchOne(t, dir)];
  const git = gitThatFails(t);
  git.set('fail', 'update-index');
  const doomed = await launchOne(t, dir, git.env);
  const acknowledged: string[] = [];
  let isOver = false;
  const load = survivors.map(async (receiver, index) => {
    for (let count = 0; !isOver; count++)
      acknowledged.push(await publish(t, receiver, `Survivor ${index}, ${count}`));
  });
  const lost: string[] = [];
  for (let count = 0; count < 20; count++) lost.push(await publish(t, doomed, `Doomed ${count}`));
  await doomed.kill('SIGKILL');
  t.deepEqual(
    subjectsOf(dir).filter((subject) => lost.includes(subject)),
    [],
  );
  await until('the others have committed what the killed receiver had acknowledged', () => {
    const subjects = new Set(subjectsOf(dir));
    return lost.every((subject) => subjects.has(subject));
  });
  isOver = true;
  await Promise.all(load);
  // A stop does not wait for commits for ever.
  await until(
    'all articles are committed',
    () => subjectsOf(dir).length >= acknowledged.length + lost.length,
  );
  for (const receiver of survivors) await receiver.stop();
  t.deepEqual(subjectsOf(dir), [...acknowledged, ...lost].sort());
  t.is(gitIn(dir, 'status', '--porcelain'), '');
});

test('what a receiver had parked is put on the branch by another one that has nothing to do', async (t) => {
  const dir = makeSite(t, {});
  await launchOne(t, dir);
  const doomed = await launchOne(t, dir);
  gitIn(dir, 'checkout', '--quiet', '--detach');
  const subject = await publish(t, doomed, 'Parked');
  await until('the commit is parked', () => subjectsOf(dir, '--all').length === 1);
  await doomed.kill('SIGKILL');
  gitIn(dir, 'checkout', '--quiet', 'main');
  await until('the commit is on the branch', () => subjectsOf(dir, 'main').length === 1);
  t.deepEqual(subjectsOf(dir, 'main'), [subject]);
});

test('what a receiver could not push any more is pushed by another one that has nothing to do', async (t) => {
  const dir = makeSite(t, { git: { push: true } });
  const remote = tempDir(t);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  gitIn(dir, 'remote', 'add', 'origin', remote);
  await launchOne(t, dir);
  await until('the first commit is pushed', () => gitIn(remote, 'for-each-ref') !== '');
  const git = gitThatFails(t);
  git.set('fail', 'push');
  const doomed = await launchOne(t, dir, git.env);
  const subject = await publish(t, doomed, 'Not pushed');
  await until('the article is committed', () => subjectsOf(dir).length === 1);
  await doomed.kill('SIGKILL');
  await until('the commit is pushed', () => subjectsOf(remote).length === 1);
  t.deepEqual(subjectsOf(remote), [subject]);
});

test('what a receiver could not commit before it was stopped is committed by another one', async (t) => {
  const dir = makeSite(t, {});
  await launchOne(t, dir);
  const git = gitThatFails(t);
  git.set('fail', 'update-index');
  const stopped = await launchOne(t, dir, git.env);
  const subject = await publish(t, stopped, 'Left');
  t.is(await stopped.stop(), 0);
  await until('the article is committed', () => subjectsOf(dir).length === 1);
  t.deepEqual(subjectsOf(dir), [subject]);
});
