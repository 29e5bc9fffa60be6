import type { TreeChange } from '../cli/objects.js';
import { emptyTree, type Repository } from '../cli/repository.js';
import { stagedBlobs, writeEntries } from './index.js';
import type { IndexLock } from './index-lock.js';

/**
 * Writes the changes between two commits into the index, whose lock is held. The owner's staged changes stay.
 *
 * @param tip the commit that the changes begin at.
 * @param isCommitted returns those blobs, as `<blob> <path>`, which the commits in between have. Such an entry was not
 *   staged by the owner; a receiver that was killed before the branch had moved has left it.
 */
export async function mergeIntoIndex(
  repository: Repository,
  lock: IndexLock,
  tip: string | null,
  changes: readonly TreeChange[],
  isCommitted: (paths: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const staged = await stagedBlobs(repository, tip);
  const unsure = changes.map(({ path }) => path).filter((path) => staged.has(path));
  const committed = unsure.length === 0 ? new Set<string>() : await isCommitted(unsure);
  const isOwners = (path: string) => staged.has(path) && !committed.has(`${staged.get(path)} ${path}`);
  const nothing = '0'.repeat(emptyTree(repository).length);
  const lines = changes
    .filter(({ path }) => !isOwners(path))
    .map(({ path, after }) =>
      after === null ? `0 ${nothing}\t${path}\0` : `${after.mode} ${after.id} 0\t${path}\0`,
    );
  await writeEntries(repository, lock, lines);
}
