import test from 'ava';
import { createLock } from '../../../../src/fs/lock.js';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { createStoreLock } from '../../../../src/git/push/store-lock.js';
import { tempDir } from '../../../support/temp-dir.js';

test('the lock is not let go of while work that has begun still writes', async (t) => {
  const directory = tempDir(t);
  const storeLock = createStoreLock(directory, 60_000, findLockHelper());
  let finish: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const work = await new Promise<{ readonly done: Promise<void> }>((begun) => {
    const done = storeLock.run(async () => {
      begun({ done });
      await end;
    });
  });
  const closed = storeLock.close();
  const other = createLock({ directory, helper: findLockHelper(), timeoutMs: 100 });
  await t.throwsAsync(other.enter(), { code: 'LOCK_TIMEOUT' });
  finish();
  await Promise.all([work.done, closed]);
  const later = createLock({ directory, helper: findLockHelper() });
  t.true(await later.enter(), 'and it is let go of then');
  later.leave();
  later.close();
});
