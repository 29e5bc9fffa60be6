import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { historyOf } from '../../../src/git/history.js';
import { contentsOf } from '../../../src/git/objects.js';
import { openRepository } from '../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';

test('the versions of a file are found under all its names, to its removal', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const texts = ['one\n', 'one\n\ntwo', 'one\n\ntwo'];
  for (const [n, text] of texts.entries()) {
    const name = n < 2 ? 'a b.md' : 'c.md';
    if (n === 2) gitIn(dir, 'mv', 'a b.md', 'c.md');
    fs.writeFileSync(join(dir, name), text);
    gitIn(dir, 'add', '.');
    gitIn(dir, 'commit', '--quiet', '-m', `Version ${n}`);
  }
  gitIn(dir, 'rm', '--quiet', 'c.md');
  gitIn(dir, 'commit', '--quiet', '-m', 'Removed');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const commits = await historyOf(repository, 'c.md');
  const contents = await contentsOf(
    repository,
    commits.flatMap(({ blob }) => blob ?? []),
  );
  t.deepEqual(
    commits.map(({ subject, path, blob }) => [subject, path, contents.get(blob ?? '')?.toString()]),
    [
      ['Removed', 'c.md', undefined],
      ['Version 2', 'c.md', texts[2]],
      ['Version 1', 'a b.md', texts[1]],
      ['Version 0', 'a b.md', texts[0]],
    ],
  );
  t.is((await historyOf(repository, 'c.md', 1)).length, 1);
});
