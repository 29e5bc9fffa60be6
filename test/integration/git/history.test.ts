import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Git } from '../../../src/git/git.js';
import { historyOf, textsOf } from '../../../src/git/history.js';
import { openRepository } from '../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

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
