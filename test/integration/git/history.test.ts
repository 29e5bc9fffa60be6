import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { checkContentFolder } from '../../../src/git/content-folder.js';
import type { Git } from '../../../src/git/git.js';
import { historyOf, lastAuthors, textsOf } from '../../../src/git/history.js';
import { openRepository } from '../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

test('before the first commit no file has a history; where git fails, that is not the answer', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  t.deepEqual(await historyOf(repository, 'a.md'), []);
  const place = await checkContentFolder(repository, '');
  if (place.kind === 'refused') throw new Error(place.why);
  t.deepEqual(await lastAuthors(place, new Set(['a.md'])), new Map());

  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  t.deepEqual(await historyOf(repository, 'a.md'), []);
  // exit code 128, as for a branch without a commit
  const git: Git = (args, run) => repository.git(args[0] === 'log' ? ['log', 'no-such-revision'] : args, run);
  const failing = { ...repository, git };
  await t.throwsAsync(historyOf(failing, 'a.md'), { code: 'GIT_FAILED' });
  await t.throwsAsync(lastAuthors({ ...place, repository: failing }, new Set(['a.md'])), {
    code: 'GIT_FAILED',
  });
});

test('the versions of a file are read as they would be checked out, by one process of git however many there are', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitattributes'), '*.md text eol=crlf\n');
  const texts = ['', 'one\n', 'one\n\ntwo', 'one\n'];
  for (const [n, text] of texts.entries()) {
    const name = n < 3 ? 'a b.md' : 'c.md';
    if (n === 3) gitIn(dir, 'mv', 'a b.md', 'c.md');
    fs.writeFileSync(join(dir, name), text);
    gitIn(dir, 'add', '.');
    gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', `Version ${n}`);
  }
  gitIn(dir, 'rm', '--quiet', 'c.md');
  gitIn(dir, 'commit', '--quiet', '-m', 'Removed');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  let processes = 0;
  const git: Git = (args, run) => {
    processes++;
    return repository.git(args, run);
  };
  const commits = await historyOf(repository, 'c.md');
  const expected = commits.map(({ commit, path, blob }) =>
    blob === undefined ? undefined : gitIn(dir, 'cat-file', '--filters', `${commit}:${path}`),
  );
  t.true(commits.length >= 2);
  t.is(expected[0], undefined);
  t.true(expected.some((text) => text?.includes('\r\n')));
  const found = await textsOf({ git }, commits);
  t.deepEqual(
    found.map((text) => text?.toString()),
    expected,
  );
  t.is(processes, 1);
  t.is((await historyOf(repository, 'c.md', 1)).length, 1);
});
