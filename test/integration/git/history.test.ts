import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { historyOf } from '../../../src/git/history.js';
import { contentsOf } from '../../../src/git/objects.js';
import { openRepository } from '../../../src/git/repository.js';
import { makeSite } from './site.js';

test('the versions of a file are found under all its names, to its removal', async (t) => {
  const { dir, git, write } = await makeSite(t);
  const texts = ['one\n', 'one\n\ntwo'];
  const commit = async (subject: string) => {
    await git('add', '-A');
    await git('commit', '-qm', subject);
  };
  for (const [n, text] of texts.entries()) {
    await write('a b.md', text);
    await commit(`Version ${n}`);
  }
  await rename(join(dir, 'a b.md'), join(dir, 'c.md'));
  await commit('Renamed');
  await rm(join(dir, 'c.md'));
  await commit('Removed');
  const repository = await openRepository(dir, { PATH: process.env.PATH });
  if (repository.kind === 'none') return t.fail(repository.because);
  const commits = await historyOf(repository, 'c.md');
  const contents = await contentsOf(
    repository,
    commits.flatMap(({ blob }) => blob ?? []),
  );
  t.deepEqual(
    commits.map(({ subject, path, blob }) => [subject, path, contents.get(blob ?? '')?.toString()]),
    [
      ['Removed', 'c.md', undefined],
      ['Renamed', 'c.md', texts[1]],
      ['Version 1', 'a b.md', texts[1]],
      ['Version 0', 'a b.md', texts[0]],
    ],
  );
  t.is((await historyOf(repository, 'c.md', 1)).length, 1);
});
