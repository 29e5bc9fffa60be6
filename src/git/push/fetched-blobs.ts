import type { Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/trees.js';
import { FETCHED_REF } from './remote.js';

/** How many paths git is asked for at a time. */
const CHUNK = 200;

/**
 * The blobs that the remote's branch, as it was fetched last, has at these paths. A file of the work tree that is the
 * same needs no commit: the branch was about to follow, and will.
 */
export async function blobsFetched(
  repository: Repository,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (paths.length === 0) return found;
  const args = ['rev-parse', '-q', '--verify', `${FETCHED_REF}^{commit}`];
  const { code, stdout } = await repository.git(args, { accept: [1] });
  if (code !== 0) return found;
  for (let start = 0; start < paths.length; start += CHUNK) {
    const chunk = paths.slice(start, start + CHUNK);
    for (const [path, blob] of await blobsAt(repository, stdout.trim(), chunk)) found.set(path, blob);
  }
  return found;
}
