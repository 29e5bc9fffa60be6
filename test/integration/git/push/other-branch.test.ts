import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Clones, commitAndPush, committedIds, gitIn } from '../../../support/clones.js';
import { runHere } from '../../../support/in-process.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { makePushingSite, type PushingSite, publish, statusOf } from './pushing-site.js';

const BRANCH = 'pressmark/articles';

/** The ids of the articles in the commits of a branch of the remote. */
function idsOn({ clones }: PushingSite, branch: string): string[] {
  if (clones.git('branch', '--list', branch) === '') return [];
  return committedIds(clones.remote, branch);
}

const doctor = async (dir: string) => (await runHere(['doctor', '--dir', dir])).stdout;
const status = (dir: string) => runHere(['status', '--dir', dir]);

test('articles are pushed to the branch that the config names, which is made, and no other one is touched', async (t) => {
  const site = await makePushingSite(tempDir(t), { push: { branch: BRANCH } });
  t.teardown(() => site.receiver.close());
  const { clones, dir, receiver } = site;
  const before = clones.git('rev-parse', 'main');
  const ids = [await publish(receiver)];
  await until('it is pushed', () => idsOn(site, BRANCH).length === 1);
  ids.unshift(await publish(receiver));
  await until('the second one is pushed', () => idsOn(site, BRANCH).length === 2);
  t.deepEqual(idsOn(site, BRANCH), ids);
  t.is(clones.git('rev-parse', 'main'), before);
  t.is(gitIn(dir, 'branch', '--list').trim(), '* main');
  await until('nothing waits', async () => (await statusOf(receiver)).waiting === 0);
  t.truthy((await statusOf(receiver)).lastPush);
  await receiver.close();
  t.regex((await status(dir)).stdout, /^✓ push {6}\d+ s ago$/m);
  t.regex(await doctor(dir), /✓ push: everything is pushed to pressmark\/articles$/m);

  gitIn(dir, 'reset', '--quiet', 'HEAD~1');
  const [path = ''] = gitIn(dir, 'ls-files', '--others', '--exclude-standard', 'content').split('\n');
  const old = new Date(Date.now() - 60_000);
  fs.utimesSync(join(dir, path), old, old);
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'Not pushed');
  const told = await doctor(dir);
  t.regex(told, /! push: 1 commit is not pushed to pressmark\/articles$/m);
  t.true(told.includes(`! git: 1 stored article is not committed, such as ${path}`));
});

test('where the named branch of the remote has other commits, nothing is called pushed, and log, status and doctor say why', async (t) => {
  let theirs = '';
  const prepare = (before: Clones) => {
    const olga = before.clone('olga');
    gitIn(olga, 'checkout', '--quiet', '-b', 'articles');
    gitIn(olga, 'push', '--quiet', '-u', 'origin', 'articles');
    theirs = commitAndPush(olga, 'theirs.txt', 'by hand\n');
  };
  const site = await makePushingSite(tempDir(t), { push: { branch: 'articles' }, prepare });
  t.teardown(() => site.receiver.close());
  const { clones, dir, receiver } = site;
  await publish(receiver);
  const waitingFor =
    'you to merge articles of the remote into main (git pull): it has commits that main does not have';
  await until('it waits', async () => {
    const now = await statusOf(receiver);
    return now.waiting === 1 && now.waitingFor === waitingFor;
  });
  t.is(clones.git('rev-parse', 'articles').trim(), theirs);
  await until('the log says so', () =>
    receiver.log.some(({ level, reason }) => level === 40 && reason === `it waits for ${waitingFor}`),
  );
  await until('status says so', async () => {
    const { code, stdout } = await status(dir);
    return code === 1 && /^✗ push {6}.*; 1 commit waits; waits for you to merge/m.test(stdout);
  });
  t.true((await doctor(dir)).includes(`; waits for ${waitingFor}`));

  gitIn(dir, 'pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'articles');
  await until('it is pushed', () => idsOn(site, 'articles').length === 1);
  await until('nothing is waited for', async () => (await statusOf(receiver)).waitingFor === null);
});
