import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { makeSite, type Site, withGit } from './site.js';

const locksIn = async (site: Site) =>
  (await readdir(join(site.top, '.git'), { recursive: true })).filter((name) => name.endsWith('.lock'));

/** Lays down what a killed Pressmark and its git would have left: a note of a move, and locks. */
async function leaveBehind(
  site: Site,
  move: object,
  locks: Record<string, string>,
  ended: string | Buffer = '',
): Promise<void> {
  const folder = join(site.top, '.git', 'pressmark');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'token-dead'), `${JSON.stringify(move)}\n${ended}`);
  for (const [name, text] of Object.entries(locks)) await writeFile(join(site.top, '.git', name), text);
}

test('locks that were left while a ref was moved are removed at the next start', async (t) => {
  const site = await makeSite(t);
  const to = '1'.repeat(40);
  const move = { ref: 'refs/heads/main', to, since: Date.now() };
  await leaveBehind(site, move, { 'refs/heads/main.lock': `${to}\n`, 'HEAD.lock': '' });
  await site.publish('one');
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilCommitted(1);
  t.deepEqual(await locksIn(site), []);
  t.deepEqual(
    await readdir(join(site.top, '.git', 'pressmark')).then((names) => names.includes('token-dead')),
    false,
  );
});

const TIME = String(Date.now());

for (const [what, lock, ended] of [
  ['the lock, which holds zeros', '\0'.repeat(41), ''],
  ['the lock, which holds another file’s bytes', 'DIRC\0\0\0\x02', ''],
  ['the lock, of which the end is missing', '11111', TIME],
  ['the end of the note, which is zeros', '', '\0'.repeat(TIME.length)],
  ['the end of the note, which is cut off', '', TIME.slice(0, 4)],
] as const)
  test(`a power loss has destroyed ${what}: the locks are removed at the next start`, async (t) => {
    const site = await makeSite(t);
    const move = { ref: 'refs/heads/main', to: '1'.repeat(40), since: Date.now() };
    await leaveBehind(site, move, { 'refs/heads/main.lock': lock, 'HEAD.lock': '' }, ended);
    await site.publish('one');
    const host = await site.start();
    await host.hooks.doAction('host.ready', { url: '' });
    await site.untilCommitted(1);
    t.deepEqual(await locksIn(site), []);
  });

test('locks of another program stay: what they keep from its commit is parked, and committed when they are gone', async (t) => {
  const site = await makeSite(t);
  const theirs = join(site.top, '.git', 'refs/heads/main.lock');
  const move = { ref: 'refs/heads/main', to: '1'.repeat(40), since: Date.now() };
  await leaveBehind(site, move, { 'refs/heads/main.lock': `${'2'.repeat(40)}\n`, 'HEAD.lock': '' });
  await site.start();
  await site.publish('one');
  await site.untilLogged('parked');
  t.is(site.logged('.git/refs/heads/main.lock')[0]?.level, 40);
  t.is(await readFile(theirs, 'utf8'), `${'2'.repeat(40)}\n`);
  t.true(existsSync(join(site.top, '.git', 'HEAD.lock')));
  await rm(theirs);
  await rm(join(site.top, '.git', 'HEAD.lock'));
  await site.untilCommitted(1);
  t.is(await site.git('status', '--porcelain'), '');
});

test('a lock that is older than the move stays', async (t) => {
  const site = await makeSite(t);
  const lock = join(site.top, '.git', 'HEAD.lock');
  await leaveBehind(
    site,
    { ref: 'refs/heads/main', to: '1'.repeat(40), since: Date.now() },
    { 'HEAD.lock': '' },
  );
  await utimes(lock, 1, 1);
  const host = await site.start();
  await host.hooks.doAction('host.ready', { url: '' });
  await site.until(
    'the note of the killed Pressmark is gone',
    async () => !existsSync(join(site.top, '.git', 'pressmark', 'token-dead')),
  );
  t.true(existsSync(lock));
});

test('the locks of a git that was killed while it moved the branch, or removed the parked ref, are removed at once', async (t) => {
  const site = await makeSite(t);
  const mark = join(site.top, '..', 'mark');
  const env = await withGit(
    site,
    `case "$*" in *update-ref*)
      if [ -e '${mark}' ]; then
        rm '${mark}'; : > .git/HEAD.lock; : > .git/packed-refs.lock; : > .git/refs/heads/main.lock; kill -9 $$
      fi;; esac`,
  );
  await site.start({ env });
  await writeFile(mark, '');
  await site.publish('one');
  await site.untilCommitted(1);
  t.false(existsSync(mark));
  // git takes no such lock when it moves a branch, and whose it is nobody knows
  t.deepEqual(await locksIn(site), ['packed-refs.lock']);
  await rm(join(site.top, '.git', 'packed-refs.lock'));

  await site.git('checkout', '-q', '--detach');
  await site.publish('two');
  await site.untilLogged('parked');
  const script = join(site.top, '..', 'bin', 'git');
  const text = await readFile(script, 'utf8');
  await writeFile(
    script,
    text.replace('*update-ref*)', '*"update-ref -d"*)').replace(/: > \S*main.lock;/, ''),
  );
  await chmod(script, 0o755);
  await writeFile(mark, '');
  await site.git('checkout', '-q', 'main');
  await site.until(
    'what was parked is on the branch',
    () => site.logged('what was parked is on the branch').length > 0,
  );
  t.is(await site.git('for-each-ref', 'refs/pressmark'), '');
  t.false(existsSync(mark));
  t.deepEqual(await locksIn(site), []);
  t.deepEqual(await site.subjects(), ['First', 'Publish: Title of one', 'Publish: Title of two']);
});

/** A git that moves the branch, but cannot remove its `HEAD.lock`, once; it says so as git does. */
async function withFailingUnlink(site: Site) {
  const mark = join(site.top, '..', 'mark');
  await writeFile(mark, '');
  const warning = "warning: unable to unlink '$PWD/.git/HEAD.lock': Input/output error";
  return withGit(
    site,
    `case "$*" in *"update-ref --create-reflog"*)
      if [ -e '${mark}' ]; then
        rm '${mark}'; "$GIT" "$@"; code=$?; : > .git/HEAD.lock; echo "${warning}" >&2; exit $code
      fi;; esac`,
  );
}

test('a lock that git could not remove is removed at once', async (t) => {
  const site = await makeSite(t);
  await site.start({ env: await withFailingUnlink(site) });
  await site.publish('one');
  await site.untilCommitted(1);
  t.is(site.logged('removed a lock').length, 1);
  t.deepEqual(await locksIn(site), []);
  await site.publish('two');
  await site.untilCommitted(2);
  t.deepEqual(site.logged('parked'), []);
});

for (const isRestarted of [false, true])
  test(`a lock that git could not remove, and that a program may hold, is removed when that has ended${isRestarted ? ', also after a restart' : ''}`, async (t) => {
    const site = await makeSite(t);
    const letGo = await runningGit(site);
    await site.start({ env: await withFailingUnlink(site) });
    await site.publish('one');
    await site.untilCommitted(1);
    t.deepEqual(await locksIn(site), ['HEAD.lock']);
    // Each of these moves a ref, and is written down.
    for (const id of ['two', 'three']) {
      await site.publish(id);
      await site.until(`${id} is parked`, async () =>
        (await site.git('log', '--format=%s', '--all')).includes(`Title of ${id}`),
      );
    }
    if (isRestarted) await site.stop();
    await letGo();
    if (isRestarted) await site.start().then((host) => host.hooks.doAction('host.ready', { url: '' }));
    await site.until(
      'what was parked is on the branch',
      () => site.logged('what was parked is on the branch').length > 0,
    );
    t.deepEqual(await locksIn(site), []);
    t.deepEqual(await site.subjects(), [
      'First',
      'Publish: Title of one',
      'Publish: Title of two',
      'Publish: Title of three',
    ]);
  });

/** Runs a git command of the owner's, until the function that this returns is called. */
async function runningGit({ top }: Site) {
  // stands for a `git gc`; a child of a shell, as it is no child of the receiver
  const held = "git -c alias.hold='!echo held; cat' hold; :";
  const shell = spawn('sh', ['-c', held], { cwd: top, stdio: ['pipe', 'pipe', 'inherit'] });
  await once(shell.stdout, 'data');
  shell.stdout.resume();
  return async () => {
    shell.stdin.end();
    await once(shell, 'close');
  };
}

for (const [who, hold] of [
  ['a git command that runs in the repository', runningGit],
  [
    'any program that has it open',
    async ({ top }: Site) => {
      const file = await open(join(top, '.git', 'HEAD.lock'));
      return () => file.close();
    },
  ],
] as const)
  test(`a HEAD.lock that was made during the move, but may be held by ${who}, stays until that has ended`, async (t) => {
    const site = await makeSite(t);
    const to = '1'.repeat(40);
    const move = { ref: 'refs/heads/main', to, since: Date.now() };
    await leaveBehind(site, move, { 'refs/heads/main.lock': `${to}\n`, 'HEAD.lock': '' });
    const letGo = await hold(site);
    await site.publish('one');
    const host = await site.start();
    await host.hooks.doAction('host.ready', { url: '' });
    await site.untilLogged('a lock stays');
    t.deepEqual(await locksIn(site), ['HEAD.lock'], 'the lock that names our commit is ours');
    await letGo();
    await site.publish('two');
    await site.untilCommitted(2);
    t.deepEqual(await locksIn(site), []);
  });
