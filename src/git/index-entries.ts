import { stagedBlobs, writeEntries } from './index-entry.js';
import type { IndexLock } from './index-lock.js';
import type { TreeChange } from './objects.js';
import { emptyTree, type Repository } from './repository.js';

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
  const staged = await stagedBlobs(repository, tip);
  const nothing = '0'.repeat(emptyTree(repository).length);
  const lines = changes
    .filter(({ path }) => !staged.has(path))
    .map(({ path, after }) =>
      after === null ? `0 ${nothing}\t${path}\0` : `${after.mode} ${after.id} 0\t${path}\0`,
    );
  await writeEntries(repository, lock, lines);
}
