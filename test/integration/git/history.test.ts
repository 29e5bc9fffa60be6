import test from 'ava';
import { checkContentFolder } from '../../../src/git/content-folder.js';
import type { Git } from '../../../src/git/git.js';
import { historyOf, lastAuthors } from '../../../src/git/history.js';
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
