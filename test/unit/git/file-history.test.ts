import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openRepository } from '../../../src/git/cli/repository.js';
import { historyOf, mergeHistories } from '../../../src/git/file-history.js';
import { gitEnvironment } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

const PERSON = { NAME: 'Olga', EMAIL: 'olga@example.org', DATE: '2026-11-24T12:00:00Z' };
const IDENTITY = Object.fromEntries(
  Object.entries(PERSON).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${key}`, value]),
  ),
);

test('parked commits come before the commits of the branch that they were made upon, also in one second', async (t) => {
  const dir = tempDir(t);
  const env = { ...gitEnvironment(dir), ...IDENTITY };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, env, encoding: 'utf8' }).trim();
  const commit = (text: string) => {
    fs.writeFileSync(join(dir, 'soil.md'), text);
    git('add', 'soil.md');
    git('commit', '--quiet', '-m', text);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  const branch = ['One', 'Two'].map(commit);
  // as Pressmark parks commits: on no branch's history
  git('checkout', '--quiet', '--orphan', 'elsewhere');
  const parked = ['Three', 'Four'].map(commit);
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  git('update-ref', repository.parkedRef, 'elsewhere');
  git('checkout', '--quiet', 'main');
  const history = await historyOf(repository, 'soil.md', 'soil');
  t.deepEqual(
    history.map((version) => version.commit),
    [...parked.toReversed(), ...branch.toReversed()],
  );
});

test('each of two histories keeps its order, also where its times run backwards', (t) => {
  const merged = (newer: number[], older: number[]) =>
    mergeHistories(
      newer.map((time) => ({ from: 'newer', time })),
      older.map((time) => ({ from: 'older', time })),
      ({ time }) => time,
    ).map(({ from, time }) => `${from} ${time}`);
  t.deepEqual(merged([], [3, 2]), ['older 3', 'older 2']);
  t.deepEqual(merged([3, 2], []), ['newer 3', 'newer 2']);
  t.deepEqual(merged([4, 2], [5, 2, 1]), ['older 5', 'newer 4', 'newer 2', 'older 2', 'older 1']);
  t.deepEqual(merged([2], [1, 3]), ['newer 2', 'older 1', 'older 3']);
  t.deepEqual(merged([1, 4], [3]), ['older 3', 'newer 1', 'newer 4']);
});
