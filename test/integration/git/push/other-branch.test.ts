import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { commitAndPush, committedIds, gitIn } from '../../../support/clones.js';
import { runHere } from '../../../support/in-process.js';
import { until } from '../../../support/until.js';
import { makePushingSite, type PushingSite, publish, statusOf, untilNoted } from './pushing-site.js';

const BRANCH = 'pressmark/articles';

/** The ids of the articles in the commits of a branch of the remote. */
function idsOn({ clones }: PushingSite, branch: string): string[] {
  if (clones.git('branch', '--list', branch) === '') return [];
  return committedIds(clones.remote, branch);
}

const doctor = async (dir: string) => (await runHere(['doctor', '--dir', dir])).stdout;
const status = (dir: string) => runHere(['status', '--dir', dir]);

test('articles are pushed to the branch that the config names, which is made, and no other one is touched; where it has other commits, nothing is called pushed, and log, status and doctor say why', async (t) => {
  const site = await makePushingSite(t, { push: { branch: BRANCH } });
  const { clones, dir, receiver } = site;
  const before = clones.git('rev-parse', 'main');
  const ids = [await publish(receiver)];
  await until('it is pushed', () => idsOn(site, BRANCH).length === 1);
  t.is(clones.git('rev-parse', 'main'), before);
  t.is(gitIn(dir, 'branch', '--list').trim(), '* main');

  const olga = clones.clone('olga');
  gitIn(olga, 'checkout', '--quiet', BRANCH);
  const theirs = commitAndPush(olga, 'theirs.txt', 'by hand\n');
  ids.unshift(await publish(receiver));
  const waitingFor = `you to merge ${BRANCH} of the remote into main (git pull): it has commits that main does not have`;
  await until('it waits', async () => {
    const now = await statusOf(receiver);
    return now.waiting === 1 && now.waitingFor === waitingFor;
  });
  t.is(clones.git('rev-parse', BRANCH).trim(), theirs);
  await until('the log says so', () =>
    receiver.log.some(({ level, reason }) => level === 40 && reason === `it waits for ${waitingFor}`),
  );
  await untilNoted(dir, 'it waits', (noted) => noted.waiting === 1 && noted.waitingFor === waitingFor);
  const { code, stdout } = await status(dir);
  t.is(code, 1);
  t.regex(stdout, /^✗ push {6}.*; 1 commit waits; waits for you to merge/m);
  t.true((await doctor(dir)).includes(`; waits for ${waitingFor}`));

  gitIn(dir, 'pull', '--quiet', '--no-rebase', '--no-edit', 'origin', BRANCH);
  await until('it is pushed', () => idsOn(site, BRANCH).length === 2);
  t.deepEqual(idsOn(site, BRANCH), ids);
  await until('nothing waits', async () => {
    const { waiting, waitingFor: reason } = await statusOf(receiver);
    return waiting === 0 && reason === null;
  });
  t.truthy((await statusOf(receiver)).lastPush);
  await receiver.close();
  t.regex((await status(dir)).stdout, /^✓ push {6}\d+ s ago$/m);
  t.regex(await doctor(dir), /✓ push: everything is pushed to pressmark\/articles$/m);

  gitIn(dir, 'reset', '--quiet', 'HEAD~2');
  const [path = ''] = gitIn(dir, 'ls-files', '--others', '--exclude-standard', 'content').split('\n');
  const old = new Date(Date.now() - 60_000);
  fs.utimesSync(join(dir, path), old, old);
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'Not pushed');
  const told = await doctor(dir);
  t.regex(told, /! push: 1 commit is not pushed to pressmark\/articles$/m);
  t.true(told.includes(`! git: 1 stored article is not committed, such as ${path}`));
  gitIn(dir, 'checkout', '--quiet', '--detach');
  const detached = await doctor(dir);
  t.true(detached.includes('! git: commits wait for HEAD to be on a branch again'));
  t.false(detached.includes('is not committed'), 'no restart commits it before');
});
