import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../cli/repository.js';

/** The index files that were found without conflicts, by git directory; reading a long one takes its time. */
const clean = new Map<string, string>();

/** Whether paths are unmerged, as after a `git stash pop` that met something. */
export async function hasConflicts({ git, gitDir }: Repository): Promise<boolean> {
  const stamp = await stampOf(gitDir);
  if (stamp === undefined || clean.get(gitDir) === stamp) return false;
  const { stdout } = await git(['ls-files', '--unmerged', '-z']);
  if (stdout !== '') return true;
  clean.set(gitDir, stamp);
  return false;
}

/** Does `replace`, which puts entries without conflicts into an index that is locked: it stays without them. */
export async function withoutNewConflicts(
  { gitDir }: Repository,
  replace: () => Promise<void>,
): Promise<void> {
  const before = await stampOf(gitDir);
  const isClean = before !== undefined && clean.get(gitDir) === before;
  await replace();
  const after = isClean ? await stampOf(gitDir) : undefined;
  if (after !== undefined) clean.set(gitDir, after);
}

/** Another value where the index has been replaced; undefined where there is none. */
export async function stampOf(gitDir: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(join(gitDir, 'index'), { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    // before the first `git add` there is no index, and nothing unmerged
    return undefined;
  }
}
