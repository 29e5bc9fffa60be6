import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openRepository, type Repository } from '../../../../src/git/cli/repository.js';
import { reconcile } from '../../../../src/git/pending/reconcile.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

/** A file of which every read fails with EIO, as from a bad block. */
const EVERY_READ_FAILS = '/proc/self/mem';

async function repositoryWith(
  t: Parameters<typeof tempDir>[0],
  make: (path: string) => void,
): Promise<Repository> {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  make(join(dir, 'a.md'));
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  return repository;
}

function uncommittedIn(repository: Repository) {
  const files = [{ path: 'a.md', stamp: { ino: 1, size: 1, mtimeMs: 1 } }];
  const openCache = async () => ({ has: () => false, save: async () => undefined });
  const { signal } = new AbortController();
  return reconcile({ repository, articles: files, openCache, signal });
}

test('an article that the disk fails to read is not taken for removed, and is tried again', async (t) => {
  const repository = await repositoryWith(t, (path) => fs.symlinkSync(EVERY_READ_FAILS, path));
  t.deepEqual(await uncommittedIn(repository), { kind: 'found', paths: ['a.md'] });
});

for (const [what, make] of [
  ['was removed', () => undefined],
  ['was replaced by a folder', (path: string) => fs.mkdirSync(path)],
  ['was replaced by a link to itself', (path: string) => fs.symlinkSync('a.md', path)],
] as const)
  test(`an article that ${what} has nothing to be committed`, async (t) => {
    const repository = await repositoryWith(t, make);
    t.deepEqual(await uncommittedIn(repository), { kind: 'found', paths: [] });
  });
