import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { blobsInHistory, changesBetween, gitLog, isAncestor } from '../../../../src/git/cli/history.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

/** A history with a branch that was merged, a commit that changes nothing, and a file that was removed. */
async function makeHistory(t: ExecutionContext) {
  const dir = tempDir(t);
  const git = (...args: string[]) => gitIn(dir, ...args).trim();
  const commit = (message: string, files: Record<string, string | null>) => {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) fs.rmSync(join(dir, path));
      else fs.writeFileSync(join(dir, path), text);
      git('add', '--', path);
    }
    git('commit', '--quiet', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  const first = commit('First', { 'a.md': 'one', 'b\n:.md': 'b' });
  git('checkout', '--quiet', '-b', 'side');
  commit('Side', { 'c.md': 'c' });
  git('checkout', '--quiet', 'main');
  commit('Second', { 'a.md': 'two' });
  commit('Nothing', {});
  git('merge', '--quiet', '-m', 'Merge\n\n:100644 in a line', 'side');
  const last = commit('Removed', { 'a.md': null });
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  return { git, repository, first, last };
}

test('a log has each commit with its fields and its changes', async (t) => {
  const { git, repository, first } = await makeHistory(t);
  const commits = await gitLog(repository, ['s', 'b'], '--topo-order', 'HEAD');
  t.deepEqual(
    commits.map(({ commit }) => commit),
    git('log', '--format=%H', '--topo-order').split('\n'),
  );
  t.deepEqual(
    commits.map(({ fields: [subject], changes }) => [subject, changes.map(({ path }) => path)]),
    [
      ['Removed', ['a.md']],
      ['Merge', []],
      ['Side', ['c.md']],
      ['Nothing', []],
      ['Second', ['a.md']],
      ['First', ['a.md', 'b\n:.md']],
    ],
  );
  t.is(commits[1]?.fields[1], ':100644 in a line\n');
  const one = { mode: '100644', id: git('rev-parse', `${first}:a.md`) };
  t.deepEqual(commits[4]?.changes[0]?.before, one);
  t.deepEqual(commits[5]?.changes[0], { path: 'a.md', before: null, after: one });
  t.is(commits[0]?.changes[0]?.after, null);
});

test('the blobs of a path in the history are all that it ever had; a removal has none', async (t) => {
  const { git, repository, first, last } = await makeHistory(t);
  const [one, two] = ['main~4', 'main~3'].map((commit) => git('rev-parse', `${commit}:a.md`));
  t.deepEqual(await blobsInHistory(repository, last, ['a.md']), new Map([['a.md', new Set(['', two, one])]]));
  t.deepEqual(
    await blobsInHistory(repository, last, ['a.md'], first),
    new Map([['a.md', new Set(['', two])]]),
  );
  const gone = '1'.repeat(40);
  t.is((await blobsInHistory(repository, last, ['a.md'], gone)).get('a.md')?.size, 3);
});

test('what differs between two commits, or from nothing', async (t) => {
  const { repository, first, last } = await makeHistory(t);
  const pathsOf = async (from: string | null, to: string) =>
    (await changesBetween(repository, from, to)).map(({ path }) => path);
  t.deepEqual(await pathsOf(first, last), ['a.md', 'c.md']);
  t.deepEqual(await pathsOf(null, first), ['a.md', 'b\n:.md']);
});

test('a commit that is not in the repository is no ancestor', async (t) => {
  const { repository, first, last } = await makeHistory(t);
  t.true(await isAncestor(repository, first, last));
  t.false(await isAncestor(repository, last, first));
  t.false(await isAncestor(repository, '1'.repeat(40), last));
});
