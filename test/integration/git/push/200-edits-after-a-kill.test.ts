import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { commitAndPush, gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import type { Receiver } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import {
  eventually,
  health,
  isClean,
  leftIn,
  PUBLISHED,
  published,
  retitle,
  retitled,
  SHARING_EDITS,
  subjects,
} from './editing.js';

const folder = makeTempDir();
const remote = makeRemote(folder, undefined, SHARING_EDITS);
const dir = remote.clone('c');
/** In it, a plugin writes the paths of the edits that the receiver has noticed. */
const noticed = join(dir, '.git', 'noticed');
let running: Receiver | undefined;

test.serial.before(async () => {
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'notice.mjs'),
    `import fs from 'node:fs';
     const notice = ({ path }) => fs.appendFileSync('${noticed}', path);
     export default { name: 'notice', setup: (host) => host.addAction('article.edited', notice) };`,
  );
  running = await launchMachine(dir);
});
test.after.always(async () => {
  await running?.kill('SIGKILL');
  removeTempDir(folder);
});

/** The machine of this file, which runs when a test begins. */
function machine(): Receiver {
  if (running === undefined) throw new Error('no receiver');
  return running;
}

test.serial('an edit that the remote cannot take now is pushed as soon as it can', async (t) => {
  const c = machine();
  const { path } = await published(c);
  fs.renameSync(remote.remote, `${remote.remote}.away`);
  retitle(c, path, 'One');
  await until('the edit waits for the remote', async () => {
    const { push, isHealthy } = await health(c);
    return push.waiting === 1 && !isHealthy;
  });
  fs.renameSync(`${remote.remote}.away`, remote.remote);
  await until('the edit is pushed', () => subjects(remote, path).length === 2);

  const hook = join(remote.remote, 'hooks', 'pre-receive');
  fs.writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const text = retitle(c, path, 'Two');
  await until('the edit is named as one that stays in the clone', async () =>
    (await leftIn(c)).includes(path),
  );
  await until('the log says that the edit is in this clone alone', () =>
    c.log.some((line) => line.msg === 'your edit is in this clone alone' && path === `content/${line.path}`),
  );
  t.deepEqual(subjects(remote, path), [PUBLISHED, 'Edit: One']);
  fs.rmSync(hook);
  await until('the second edit is pushed', () => subjects(remote, path).length === 3);
  t.deepEqual(subjects(remote, path), [PUBLISHED, 'Edit: One', 'Edit: Two']);
  t.is(remote.git('show', `main:${path}`), text);
  await until('no edit stays in the clone', async () => (await leftIn(c)).length === 0);
});

test.serial('an edit that is made on another branch is pushed when HEAD is back', async (t) => {
  const c = machine();
  const { path } = await published(c);
  gitIn(dir, 'checkout', '--quiet', '-b', 'topic');
  const text = retitle(c, path, 'By hand');
  commitAndPush(remote.clone('olga'), 'notes.txt', 'Of others\n');
  await until('the receiver waits for HEAD', () =>
    c.log.some(({ msg }) => /follow the remote; it waits for HEAD/.test(msg)),
  );
  t.deepEqual(subjects(remote, path), [PUBLISHED]);
  gitIn(dir, 'checkout', '--quiet', 'main');
  await until('the edit is pushed', () => subjects(remote, path).length === 2);
  t.is(remote.git('show', `main:${path}`), text);
  await until('the work tree follows the remote', () => isClean(dir, 'notes.txt'));
});

test.serial(
  'a kill neither loses nor doubles an edit, be it pushed, left behind or made while nothing runs',
  async (t) => {
    const c = machine();
    const [pushed, behind, later] = [await published(c), await published(c), await published(c)];
    const olga = join(folder, 'olga');
    c.signal('SIGSTOP');
    const mine = retitle(c, behind.path, 'By hand');
    gitIn(olga, 'pull', '--quiet', '--rebase');
    const theirs = retitled({ dir: olga }, behind.path, 'Of others');
    commitAndPush(olga, behind.path, theirs);
    c.signal('SIGCONT');
    await until('the branch follows, and the edit stays in the clone', async () => {
      const follows = gitIn(dir, 'show', `HEAD:${behind.path}`) === theirs;
      return follows && (await leftIn(c)).includes(behind.path);
    });
    const two = retitle(c, pushed.path, 'Two');
    await until('the edit is pushed', () => subjects(remote, pushed.path).length === 2);
    // as soon as the remote has it: the next start finds that out
    await c.kill('SIGKILL');
    retitle(c, later.path, 'Three');

    running = await launchMachine(dir);
    const again = machine();
    await until('the work tree is clean where the edit was pushed', () => isClean(dir, pushed.path));
    await until(
      'the edit that was made while nothing ran is pushed',
      () => subjects(remote, later.path).length === 2,
    );
    await until('the edit still stays in the clone', async () => (await leftIn(again)).includes(behind.path));
    t.is(remote.git('show', `main:${pushed.path}`), two);
    t.deepEqual(subjects(remote, pushed.path), [PUBLISHED, 'Edit: Two']);
    t.deepEqual(subjects(remote, later.path), [PUBLISHED, 'Edit: Three']);
    t.is(fs.readFileSync(join(dir, behind.path), 'utf8'), mine);
    t.is(remote.git('show', `main:${behind.path}`), theirs);

    // until its owner takes over what the remote has
    await eventually('the owner can restore the file', () => gitIn(dir, 'restore', behind.path));
    await until(
      'the receiver sees that the file has caught up',
      () => !fs.existsSync(join(dir, '.git/pressmark/stale-edits.json')),
    );
    retitle(again, behind.path, 'Anew');
    await until('the new edit is pushed', () => subjects(remote, behind.path).length === 3);
    await until('no edit stays in the clone', async () => (await leftIn(again)).length === 0);
  },
);

test.serial('an edit that has not lain still yet is pushed at a stop', async (t) => {
  const c = machine();
  const { path } = await published(c);
  retitle(c, path, 'Short before the end');
  await until(
    'the receiver notices the edit',
    () => fs.existsSync(noticed) && fs.readFileSync(noticed, 'utf8').includes(path),
  );
  t.is(await c.stop(), 0);
  t.deepEqual(subjects(remote, path), [PUBLISHED, 'Edit: Short before the end']);
});
