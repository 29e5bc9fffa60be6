import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { PressmarkError } from '../../../src/errors.js';
import { createLock } from '../../../src/fs/lock.js';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const helper = findLockHelper();

function lockIn(site: string, options: { timeoutMs?: number; idleMs?: number } = {}) {
  return createLock({ directory: join(site, '.pressmark'), helper, ...options });
}

test.serial('a holder knows whether another one has had the lock since', async (t) => {
  const site = tempDir(t);
  const [first, second] = [lockIn(site), lockIn(site)];
  const take = async (lock: typeof first) => {
    await lock.enter();
    lock.leave();
    lock.close();
    return lock.handovers;
  };
  t.is(await take(first), 1, 'somebody may have been here before');
  t.is(await take(first), 1);
  t.is(await take(second), 1);
  t.is(await take(first), 2);
  fs.rmSync(join(site, '.pressmark'), { recursive: true });
  t.is(await take(first), 3, 'nobody knows');
});

test.serial('waiting for the lock is bounded, and the lock can be taken afterwards', async (t) => {
  const site = tempDir(t);
  const [first, second] = [lockIn(site), lockIn(site, { timeoutMs: 100 })];
  await first.enter();
  const error = await t.throwsAsync(second.enter(), { code: 'LOCK_TIMEOUT' });
  t.is((error as Error & { status: number }).status, 503);
  t.deepEqual(fs.readdirSync(join(site, '.pressmark', 'waiting')), []);
  first.leave();
  first.close();
  // On a slow machine, starting the program that takes the lock can use up its time again.
  await until('the lock can be taken after the timeout', () =>
    second.enter().catch((again: PressmarkError) => {
      if (again.code !== 'LOCK_TIMEOUT') throw again;
      return false;
    }),
  );
  second.leave();
  second.close();
});

test.serial('the note of a waiter that died is removed after a minute', async (t) => {
  const site = tempDir(t);
  const lock = lockIn(site);
  await lock.enter();
  const note = join(site, '.pressmark', 'waiting', 'dead');
  fs.writeFileSync(note, '');
  t.true(lock.contended());
  const longAgo = Date.now() / 1000 - 3_600;
  fs.utimesSync(note, longAgo, longAgo);
  t.false(lock.contended());
  t.false(fs.existsSync(note));
  lock.leave();
  lock.close();
});

test.serial(
  'a helper that fails is an error at once, and its numbers are read the same in every language',
  async (t) => {
    const { PATH, LC_ALL } = process.env;
    t.teardown(() => {
      Object.assign(process.env, { PATH });
      if (LC_ALL === undefined) delete process.env.LC_ALL;
      else process.env.LC_ALL = LC_ALL;
    });
    const bin = tempDir(t);
    const flock =
      '#!/bin/sh\n[ "$1" = --version ] && { echo util-linux; exit; }\n[ "$LC_ALL" = C ] || exit 64\ncase "$3" in *e*) exit 64;; esac\n';
    fs.writeFileSync(join(bin, 'flock'), `${flock}exit 0`, { mode: 0o755 });
    Object.assign(process.env, { PATH: `${bin}:${PATH}`, LC_ALL: 'tr_TR.UTF-8' });
    const found = findLockHelper();
    t.true(await found.take(0, 19.5));
    t.true(await found.take(0, 5e-7));
    fs.writeFileSync(join(bin, 'flock'), `${flock}exit 65`);
    await t.throwsAsync(found.take(0, 19.5), {
      message: /^flock -x -w 19\.500 3 cannot lock a file: exit code 65$/,
    });
  },
);
