import { randomBytes } from 'node:crypto';
import { entriesAt } from '../objects.js';
import type { Repository } from '../repository.js';
import type { Status } from '../status.js';

/** The refs for commits that are on no branch yet, one for each batch. */
const NEXT_REFS = 'refs/worktree/pressmark/';

/**
 * Returns a new ref for the commits of a batch. If Pressmark or its git is killed after the index was written, the ref
 * distinguishes Pressmark's entries from the owner's staged ones.
 */
export function nextRef(): string {
  return `${NEXT_REFS}${randomBytes(8).toString('hex')}`;
}

/**
 * Returns the paths that the owner has staged: the index differs from HEAD, and not by an entry that Pressmark wrote for an
 * unfinished batch.
 */
export async function stagedByOwner(repository: Repository, { files }: Status): Promise<Set<string>> {
  const differing = [...files].flatMap(([path, { head, index }]) => (head?.id === index?.id ? [] : [path]));
  if (differing.length === 0) return new Set();
  const theirs = new Set(differing);
  for (const { commit } of await nextCommits(repository))
    for (const [path, { id }] of await entriesAt(repository, commit, differing))
      if (files.get(path)?.index?.id === id) theirs.delete(path);
  return theirs;
}

/** A commit that is on no branch yet, and the ref that leads to it. */
export interface NextCommit {
  readonly commit: string;
  readonly ref: string;
}

/**
 * Removes refs that killed processes have left, if they still have the same commits. The caller has checked that git has all
 * files.
 */
export async function removeNextRefs({ git }: Repository, refs: readonly NextCommit[]): Promise<void> {
  for (const { ref, commit } of refs) await git(['update-ref', '-d', ref, commit], { accept: [1] });
}

/** Lists the commits that are on no branch yet. */
export async function nextCommits({ git }: Repository): Promise<NextCommit[]> {
  const format = '--format=%(objectname) %(refname)';
  const { stdout } = await git(['for-each-ref', format, NEXT_REFS]);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [commit = '', ref = ''] = line.split(' ');
      return { commit, ref };
    });
}
