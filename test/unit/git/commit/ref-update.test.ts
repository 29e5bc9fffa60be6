import test from 'ava';
import { pino } from 'pino';
import type { Repository } from '../../../../src/git/cli/repository.js';
import { moveRef } from '../../../../src/git/commit/ref-update.js';

const log = pino({ level: 'silent' });

test('the folders of a commit are on the disk before the branch moves to it', async (t) => {
  const calls: string[] = [];
  const repository = {
    gitDir: '/nowhere',
    commonDir: '/nowhere',
    git: async ([command = '']: readonly string[]) => {
      calls.push(command);
      return { code: 0, stdout: '', stderr: '', bytes: Buffer.alloc(0) };
    },
    syncDirectories: async (ref: string) => {
      calls.push(`sync ${ref}`);
    },
  } satisfies Partial<Repository> as unknown as Repository;
  const notes = {
    during: <T>(_: unknown, work: () => Promise<T>) => {
      calls.push('note');
      return work();
    },
  };
  const move = { ref: 'refs/heads/main', to: 'b'.repeat(40), from: 'a'.repeat(40) };
  t.true(await moveRef(repository, notes, log, move));
  t.deepEqual(calls, ['sync refs/heads/main', 'note', 'update-ref']);
});
