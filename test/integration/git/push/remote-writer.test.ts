import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../../src/article/article.js';
import { createLock } from '../../../../src/fs/lock.js';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { createPushStatus } from '../../../../src/git/push/push-status.js';
import { openRemoteWriter, WAIT_MS } from '../../../../src/git/push/remote-writer.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { NEVER_READ } from '../../../../src/store/catalog/entry.js';
import { commitAndPush, gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { withSigner } from '../../../support/commit-signer.js';
import { article } from '../../../support/events.js';
import { shared } from '../../../support/teardown.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** A writer of a clone of a new remote. */
async function open(
  t: Parameters<typeof tempDir>[0],
  {
    readAgain = () => undefined,
    bin = '',
    sign = false,
  }: { readAgain?: (paths: Iterable<string>) => unknown; bin?: string; sign?: boolean } = {},
) {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const siteDir = clones.clone('site');
  const state = join(folder, 'state');
  fs.mkdirSync(state);
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const status = createPushStatus(join(state, 'push.json'));
  const hooks = createHooks(log);
  const writer = await openRemoteWriter({
    siteDir,
    content: 'content/',
    status,
    authorOf: () => undefined,
    sign,
    env: { ...gitEnvironment(siteDir), PATH: `${bin}:${process.env.PATH}` },
    log,
    hooks,
    fetchEvery: 3_600_000,
    lock: createLock({ directory: state, helper: findLockHelper() }),
    readAgain: async (paths) => void readAgain(paths),
    assetsOf: async () => [],
  });
  t.teardown(() => writer.close?.());
  const write = (name: string, text = 'stored\n') => {
    const target = join(siteDir, 'content', name);
    const stored = { ...draftOf(article()), revision: 'r', url: 'https://x.example/', updated: null };
    const publication = { kind: 'dated' } as const;
    const file = { path: name, target, text, replaces: null, article: stored, publication };
    return writer.write({ ...file, epoch: writer.epoch });
  };
  /** How often each of the two actions was done. */
  const told = () => [hooks.didAction('git.committed'), hooks.didAction('git.pushed')];
  return { clones, siteDir, writer, write, told, status, warnings };
}

// One writer for the tests that leave it as they found it.
let onRead: () => unknown = () => undefined;
const one = shared(test, (t) => open(t, { readAgain: () => onRead() }));

test.serial(
  'what a person saves or removes right after git has written a file is stored, and does not pass for the text that was',
  async (t) => {
    const { clones, siteDir, write } = one();
    const { ino, size } = await write('alone.md');
    t.like(fs.statSync(join(siteDir, 'content/alone.md')), { ino, size });

    const { statSync } = fs;
    const saved = join(siteDir, 'content', 'saved.md');
    const removed = join(siteDir, 'content', 'removed.md');
    Object.assign(fs, {
      statSync: (...args: unknown[]) => {
        if (args[0] === saved && fs.existsSync(dirname(saved)) && fs.existsSync(saved))
          fs.writeFileSync(saved, 'theirs\n');
        if (args[0] === removed) fs.rmSync(removed, { force: true });
        return Reflect.apply(statSync, fs, args);
      },
    });
    t.teardown(() => Object.assign(fs, { statSync }));
    t.deepEqual(await write('saved.md'), NEVER_READ);
    t.is(fs.readFileSync(saved, 'utf8'), 'theirs\n');
    t.deepEqual(await write('removed.md'), NEVER_READ);
    t.is(clones.git('show', 'main:content/removed.md'), 'stored\n');
  },
);

test.serial(
  'line ends are pushed as the settings of git say, and are the text’s own in the work tree',
  async (t) => {
    const { clones, siteDir, write } = one();
    gitIn(siteDir, 'config', 'core.autocrlf', 'true');
    t.teardown(() => gitIn(siteDir, 'config', '--unset', 'core.autocrlf'));
    await write('crlf.md', 'one\r\ntwo\r\n');
    t.is(clones.git('show', 'main:content/crlf.md'), 'one\ntwo\n');
    t.is(fs.readFileSync(join(siteDir, 'content/crlf.md'), 'utf8'), 'one\r\ntwo\r\n');
    t.is(gitIn(siteDir, 'status', '--porcelain', 'content/crlf.md'), '');
  },
);

test.serial('decisions count only when the store has read the files of another machine', async (t) => {
  const epochs: number[] = [];
  const { clones, writer } = one();
  onRead = () => epochs.push(writer.epoch);
  const before = writer.epoch;
  commitAndPush(clones.clone('olga'), 'content/theirs.md', 'theirs\n');
  await writer.catchUp();
  t.is(epochs.at(-1), before, 'what is decided while they are read is decided again');
  t.not(writer.epoch, before);
});

test.serial(
  'what the remote has taken is signed and told, also where the work tree cannot follow; nothing is stored where the branch is gone',
  async (t) => {
    const { clones, siteDir, writer, write, told } = await open(t, { sign: true });
    const isSigned = withSigner(siteDir, tempDir(t));
    await write('one.md');
    t.true(isSigned());
    t.deepEqual(told(), [1, 1]);
    const lock = join(siteDir, '.git', 'index.lock');
    fs.writeFileSync(lock, ''); // git merge fails, git push does not
    await t.throwsAsync(write('two.md'), { code: 'GIT_FAILED' });
    fs.rmSync(lock);
    t.deepEqual(told(), [2, 2]);
    clones.git('update-ref', '-d', 'refs/heads/main');
    const message = /^the git remote origin has no branch main; push it; /;
    const refused = t.throwsAsync(writer.catchUp(), { message });
    await until('it is known', () => writer.trouble()?.includes('has no branch main') === true);
    await writer.close?.(); // what waits until its time is up is told so now
    await refused;
  },
);

test.serial(
  'what the owner has staged keeps that article alone from being stored, and nothing is pushed',
  async (t) => {
    const { clones, siteDir, writer, write } = one();
    const theirs = join(siteDir, 'content', 'staged.md');
    fs.mkdirSync(dirname(theirs), { recursive: true });
    fs.writeFileSync(theirs, 'theirs\n');
    gitIn(siteDir, 'add', 'content/staged.md');
    fs.rmSync(theirs);
    const running = writer.catchUp();
    await nextTurn();
    const [refused, stored] = await Promise.allSettled([write('staged.md'), write('other.md')]);
    await running;
    t.like(refused, {
      status: 'rejected',
      reason: {
        code: 'COMMIT_FAILED',
        message: 'you have staged a change of staged.md: commit and push it, or unstage it',
      },
    });
    t.is(stored.status, 'fulfilled');
    t.is(clones.git('ls-tree', '--name-only', 'main', 'content/staged.md'), '');
    t.is(gitIn(siteDir, 'show', ':content/staged.md'), 'theirs\n');
    t.is(writer.trouble(), undefined);
    gitIn(siteDir, 'rm', '--quiet', '--cached', 'content/staged.md');
    await write('staged.md');
    t.is(clones.git('show', 'main:content/staged.md'), 'stored\n');
  },
);

test.serial('an article that the remote declines fails no lookup', async (t) => {
  const { clones, writer, write } = one();
  const hook = join(clones.remote, 'hooks', 'update');
  t.teardown(() => fs.rmSync(hook));
  fs.writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  // Both come while this turn runs, and share the next one.
  const running = writer.catchUp();
  await nextTurn();
  const [declined, lookup] = await Promise.allSettled([write('a.md'), writer.catchUp()]);
  await running;
  t.like(declined, { status: 'rejected', reason: { code: 'REMOTE_DECLINED' } });
  t.like(lookup, { status: 'fulfilled' });
});

test.serial(
  'a push and a fetch that take longer than a delivery can wait go on, and what was given up before its push is not pushed',
  async (t) => {
    const bin = tempDir(t);
    const [held, hold] = [join(bin, 'held'), join(bin, 'hold')];
    const script = `#!/bin/sh
PATH='${process.env.PATH}'
case "$*" in *" push "*|*" fetch "*) while [ -e '${hold}' ]; do : > '${held}'; sleep 0.02; done;; esac
exec git "$@"
`;
    fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    const read: string[] = [];
    const { clones, writer, write } = await open(t, { bin, readAgain: (paths) => read.push(...paths) });
    /** Has git hang meanwhile; those who wait give up as soon as it does, and not before, however slow the machine is. */
    const whileSlow = async (work: () => Promise<unknown>) => {
      fs.rmSync(held, { force: true });
      fs.writeFileSync(hold, '');
      const { setTimeout } = globalThis;
      const limits: readonly number[] = Object.values(WAIT_MS);
      const impatient = (giveUp: () => void, ms = 0) => {
        if (!limits.includes(ms)) return setTimeout(giveUp, ms);
        const timer = setInterval(() => {
          if (!fs.existsSync(held)) return;
          clearInterval(timer);
          giveUp();
        }, 20);
        return timer;
      };
      Object.assign(globalThis, { setTimeout: impatient });
      await work().finally(() => Object.assign(globalThis, { setTimeout }));
      fs.rmSync(hold);
    };
    await whileSlow(async () => {
      const slow = t.throwsAsync(write('slow.md'), { code: 'REMOTE_UNAVAILABLE' });
      await until('its push runs', () => fs.existsSync(held));
      await t.throwsAsync(write('late.md'), { code: 'REMOTE_UNAVAILABLE', message: /send it again$/ });
      await slow;
    });
    await writer.catchUp();
    t.is(clones.git('ls-tree', '--name-only', 'main:content'), 'slow.md\n');
    await write('late.md');
    t.is(clones.git('ls-tree', '--name-only', 'main:content'), 'late.md\nslow.md\n');

    commitAndPush(clones.clone('olga'), 'content/theirs.md', 'theirs\n');
    await whileSlow(() => t.throwsAsync(writer.catchUp(), { code: 'REMOTE_UNAVAILABLE' }));
    await writer.catchUp();
    t.deepEqual(
      read,
      ['slow.md', 'theirs.md'],
      'what was given up is to the store as the articles of others',
    );
  },
);

test.serial('a stop while the remote is asked is no trouble with the remote', async (t) => {
  const bin = tempDir(t);
  const [held, hold] = [join(bin, 'held'), join(bin, 'hold')];
  const script = `#!/bin/sh
PATH='${process.env.PATH}'
case "$*" in *" ls-remote "*) if [ -e '${hold}' ]; then : > '${held}'; exec sleep 60; fi;; esac
exec git "$@"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const { writer, status, warnings } = await open(t, { bin });
  fs.writeFileSync(hold, '');
  const stopped = t.throwsAsync(writer.catchUp(), { message: /^the receiver stops; / });
  await until('the remote is asked', () => fs.existsSync(held));
  await writer.close?.();
  await stopped;
  t.is(status.now.lastError, null);
  t.deepEqual(warnings, []);
});
