import { link, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../errors.js';
import type { IndexLock } from './index-lock.js';
import type { TreeChange } from './objects.js';
import { emptyTree, type Repository } from './repository.js';
import { parseRaw } from './tree.js';

/**
 * Takes changes between two commits into the index, whose lock is held; what the owner has staged stays staged.
 *
 * @param tip the commit that the changes begin at.
 */
export async function takeIntoIndex(
  repository: Repository,
  lock: IndexLock,
  tip: string | null,
  changes: readonly TreeChange[],
): Promise<void> {
  const { git, gitDir } = repository;
  const { stdout } = await git([
    'diff-index',
    '--cached',
    '--raw',
    '-z',
    '--no-abbrev',
    '--no-renames',
    tip ?? emptyTree(repository),
  ]);
  const staged = new Set(parseRaw(stdout).map(({ path }) => path));
  const nothing = '0'.repeat(emptyTree(repository).length);
  const lines = changes
    .filter(({ path }) => !staged.has(path))
    .map(({ path, after }) =>
      after === null ? `0 ${nothing}\t${path}\0` : `${after.mode} ${after.id} 0\t${path}\0`,
    );
  if (lines.length === 0) return;
  const index = join(gitDir, 'index');
  try {
    // Git writes a new file beside it and renames that, so a second name does for a copy.
    await link(index, lock.draft);
  } catch (error) {
    // before the first `git add` there is no index
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await git(['update-index', '-z', '--index-info'], { input: lines.join(''), indexFile: lock.draft });
  const draft = await open(lock.draft, 'r');
  try {
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(lock.draft, index);
}
