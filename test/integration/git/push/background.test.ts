import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { PUSH_STATUS } from '../../../../src/app/git-settings.js';
import { readPushStatus } from '../../../../src/git/push/push-status.js';
import { commitAndPush, commitFile, gitIn, tipOf } from '../../../support/clones.js';
import { runHere } from '../../../support/in-process.js';
import { shared } from '../../../support/teardown.js';
import { until } from '../../../support/until.js';
import { eventually, idsOnRemote, makePushingSite, publish, statusOf, untilNoted } from './pushing-site.js';

const site = shared(test, async (t) => {
  const made = await makePushingSite(t);
  return { ...made, /** A person's own clone. */ olga: made.clones.clone('olga') };
});

/** The one site of this file, once everything is pushed and the branch is where the remote's is. */
async function pushedSite() {
  const { receiver } = site();
  await until('everything is pushed', async () => (await statusOf(receiver)).waiting === 0);
  // The branch follows others when there is something to push: after a test that has failed, there may be nothing.
  if (!isCaughtUp()) await publish(receiver);
  await caughtUp();
  return site();
}

/** Waits until the site's branch is where the remote's is, and its index free. */
function caughtUp(): Promise<void> {
  return until('the branch is where the remote’s is', isCaughtUp);
}

function isCaughtUp(): boolean {
  const { clones, dir } = site();
  const isSame = tipOf(join(dir, '.git')) === tipOf(clones.remote);
  return isSame && !fs.existsSync(join(dir, '.git', 'index.lock'));
}

test.serial('commits that gather while a push runs are pushed at once, and the status says so', async (t) => {
  const { clones, dir, receiver } = await pushedSite();
  const pushes = () => receiver.log.filter(({ msg }) => msg === 'pushed').length;
  // On a slow machine that one would come later, and take the first article with it.
  await until('the push of the start has ended', () => pushes() === 1);
  const [hook, hold] = [join(clones.remote, 'hooks', 'pre-receive'), `${clones.remote}.hold`];
  fs.writeFileSync(hold, '');
  const wait = `#!/bin/sh\n: > '${hold}.held'\nwhile [ -e '${hold}' ]; do sleep 0.05; done\n`;
  fs.writeFileSync(hook, wait, { mode: 0o755 });
  const ids = [await publish(receiver)];
  await until('the first push runs', () => fs.existsSync(`${hold}.held`));
  ids.push(...(await Promise.all(Array.from({ length: 4 }, () => publish(receiver)))));
  await until('all are committed', () => gitIn(dir, 'rev-list', '--count', 'HEAD').trim() === '6');
  t.true((await statusOf(receiver)).waiting > 0);
  fs.rmSync(hold);
  await until('all are pushed', () => idsOnRemote({ clones }).length === ids.length);
  fs.rmSync(hook);
  t.deepEqual(idsOnRemote({ clones }).sort(), ids.sort());
  await until('nothing waits', async () => (await statusOf(receiver)).waiting === 0);
  t.like(await statusOf(receiver), { lastError: null, waitingFor: null });
  t.is(pushes(), 3, 'one was that of the start');
});

test.serial(
  'commits that people have pushed are taken in as they are, and ours go on top; where both sides have some, a person has to merge',
  async (t) => {
    const { clones, dir, receiver, olga } = await pushedSite();
    const theirs = commitAndPush(olga, 'about.txt', 'by hand\n');
    fs.writeFileSync(join(dir, 'notes.txt'), 'not yet committed\n');
    const id = await publish(receiver);
    await until('the article is pushed', () => idsOnRemote({ clones }).includes(id));
    t.true(clones.git('rev-list', 'main').split('\n').includes(theirs));
    t.is(fs.readFileSync(join(dir, 'about.txt'), 'utf8'), 'by hand\n');
    await caughtUp();
    t.is(gitIn(dir, 'status', '--porcelain'), '?? notes.txt\n');
    fs.rmSync(join(dir, 'notes.txt'));

    const here = commitFile(dir, 'here.txt', 'here\n');
    const there = commitAndPush(olga, 'there.txt', 'there\n');
    const later = await publish(receiver);
    await until('it waits for a person', async () =>
      /git pull/.test((await statusOf(receiver)).waitingFor ?? ''),
    );
    t.is(clones.git('rev-parse', 'main').trim(), there, 'nothing was forced');
    t.is(gitIn(dir, 'rev-list', '--merges', `${here}..HEAD`), '');
    await eventually('the person can merge', () => gitIn(dir, 'pull', '--quiet', '--no-rebase', '--no-edit'));
    await until('the article is pushed', () => idsOnRemote({ clones }).includes(later));
    t.true(clones.git('rev-list', 'main').split('\n').includes(here));
    await until('it waits for nobody', async () => (await statusOf(receiver)).waitingFor === null);
  },
);

test.serial('a remote that is away for a while gets everything when it is back', async (t) => {
  const { clones, dir, receiver } = await pushedSite();
  fs.renameSync(clones.remote, `${clones.remote}.away`);
  const ids = [await publish(receiver), await publish(receiver)];
  await until('the error is in the status', async () => (await statusOf(receiver)).lastError !== null);
  t.is((await fetch(`${receiver.origin}/healthz`)).status, 200, 'articles can be stored all the same');
  await untilNoted(dir, 'it has failed', ({ lastError }) => lastError !== null);
  t.regex((await runHere(['doctor', '--dir', dir])).stdout, /✗ push: .*; .*the git remote origin/);
  fs.renameSync(`${clones.remote}.away`, clones.remote);
  await until('both articles are pushed', () => ids.every((id) => idsOnRemote({ clones }).includes(id)));
  await until('the status has no error', async () => (await statusOf(receiver)).lastError === null);
  t.like(await statusOf(receiver), { waiting: 0, waitingFor: null });
});

const PROTECTED = `#!/bin/sh
echo 'error: GH006: Protected branch update failed for refs/heads/main.' >&2
echo 'error: Changes must be made through a pull request.' >&2
exit 1
`;

test.serial(
  'a push that a protected branch declines is not called tried again by itself; log, status and doctor say why',
  async (t) => {
    const { clones, dir, receiver } = await pushedSite();
    const began = receiver.log.length;
    const log = () => JSON.stringify(receiver.log.slice(began));
    const hook = join(clones.remote, 'hooks', 'pre-receive');
    fs.writeFileSync(hook, PROTECTED, { mode: 0o755 });
    const id = await publish(receiver);
    await until('the status says that it was declined', async () => (await statusOf(receiver)).isDeclined);
    const said =
      /declined the push: pre-receive hook declined; GH006: Protected branch update failed .*; Changes must be made through a pull request\./;
    t.regex((await statusOf(receiver)).lastError ?? '', said);
    await until('the log says so', () => log().includes('GH006'));
    await untilNoted(dir, 'it was declined', ({ isDeclined }) => isDeclined);
    for (const command of ['status', 'doctor'])
      t.regex((await runHere([command, '--dir', dir])).stdout, said);
    t.notRegex(log(), /tried again/);
    fs.rmSync(hook);
    await until('it is pushed', () => idsOnRemote({ clones }).includes(id));
  },
);

test.serial('commits on another branch than at the start are not called pushed', async (t) => {
  const { clones, dir, receiver } = await pushedSite();
  const before = clones.git('rev-parse', 'main');
  gitIn(dir, 'checkout', '--quiet', '-b', 'drafts');
  const id = await publish(receiver);
  const waitingFor = 'HEAD to be on main again: commits on drafts are not pushed';
  await until('it waits', async () => {
    const now = await statusOf(receiver);
    return now.waitingFor === waitingFor && now.waiting === 1;
  });
  t.is(clones.git('rev-parse', 'main'), before);
  t.is(clones.git('branch', '--list').trim(), '* main');
  await eventually('the person can switch', () => gitIn(dir, 'checkout', '--quiet', '-B', 'main'));
  await until('it is pushed', () => idsOnRemote({ clones }).includes(id));
});

test.serial('a stop pushes what waits, and ends when the file for doctor says so', async (t) => {
  const { clones, dir, receiver } = await pushedSite();
  const { lastPush } = await statusOf(receiver);
  const id = await publish(receiver);
  await receiver.close();
  t.not(readPushStatus(join(dir, '.pressmark', PUSH_STATUS))?.lastPush, lastPush);
  t.true(idsOnRemote({ clones }).includes(id));
});
