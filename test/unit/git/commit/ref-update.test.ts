import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import type { Repository } from '../../../../src/git/cli/repository.js';
import { freeRefLocks, moveRef, type RefMoveResult } from '../../../../src/git/commit/ref-update.js';
import { tempDir } from '../../../support/temp-dir.js';

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
    syncObjectsAndRef: async (ref: string) => {
      calls.push(`sync ${ref}`);
    },
  } satisfies Partial<Repository> as unknown as Repository;
  const recorder = {
    record: async (_: unknown, work: () => Promise<RefMoveResult>) => {
      calls.push('note');
      return (await work()).isMoved;
    },
  };
  const move = { ref: 'refs/heads/main', to: 'b'.repeat(40), from: 'a'.repeat(40) };
  t.true(await moveRef(repository, recorder, move));
  t.deepEqual(calls, ['sync refs/heads/main', 'note', 'update-ref']);
});

test('while somebody moves the ref, it is not decided whose the other locks are', async (t) => {
  const dir = tempDir(t);
  const gitDir = join(dir, '.git');
  fs.mkdirSync(join(gitDir, 'refs/heads'), { recursive: true });
  const [branch, head] = [join(gitDir, 'refs/heads/main.lock'), join(gitDir, 'HEAD.lock')];
  fs.writeFileSync(head, '');
  fs.writeFileSync(branch, `${'2'.repeat(40)}\n`);
  const places = { gitDir, commonDir: gitDir, top: dir };
  const move = { ref: 'refs/heads/main', to: '1'.repeat(40), since: Date.now() };
  t.false(await freeRefLocks(places, move, log));
  t.true(fs.existsSync(head) && fs.existsSync(branch));
  fs.rmSync(branch);
  t.true(await freeRefLocks(places, move, log));
  t.false(fs.existsSync(head));
});
