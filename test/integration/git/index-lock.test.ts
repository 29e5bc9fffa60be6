import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import { openRepository } from '../../../src/git/cli/repository.js';
import { createIndexLocker } from '../../../src/git/commit/index-lock.js';
import { makeSite } from './site.js';

test('three that take the index at once have it one after the other, and leave it free', async (t) => {
  const site = await makeSite(t);
  const repository = await openRepository(site.dir, { PATH: process.env.PATH });
  if (repository.kind === 'none') throw new Error(repository.because);
  const locker = createIndexLocker(repository, findLockHelper(), pino({ level: 'silent' }));
  t.teardown(() => locker.close());
  const order: string[] = [];
  const take = async (name: string) => {
    const lock = await locker.take(new AbortController().signal);
    t.truthy(lock, name);
    order.push(`${name} has it`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} lets it go`);
    await lock?.release();
  };
  await Promise.all([take('one'), take('two'), take('three')]);
  t.deepEqual(
    order,
    ['one', 'two', 'three'].flatMap((name) => [`${name} has it`, `${name} lets it go`]),
  );
  t.deepEqual(
    (await readdir(join(site.top, '.git'))).filter((name) => name.endsWith('.lock')),
    [],
  );
});
