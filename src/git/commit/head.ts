import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../cli/repository.js';

/** The branch that commits go to. */
export interface Branch {
  /** Its full name, such as `refs/heads/main`. */
  readonly ref: string;
  /** Its last commit; null before the first. */
  readonly tip: string | null;
}

/** Why there is no branch to commit to now; the owner is in the middle of something. */
export interface NotNow {
  readonly waitingFor: string;
  /** The commit that HEAD is at; null before the first. */
  readonly tip: string | null;
}

const UNFINISHED: readonly (readonly [file: string, what: string])[] = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  // between two commits of a row, or while one of them is edited
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
];

/** The branch that HEAD is on, or what must end before anything is committed. */
export async function readHead(repository: Repository): Promise<Branch | NotNow> {
  const { git, gitDir } = repository;
  const [unfinished, head, tip, conflicted] = await Promise.all([
    Promise.all(
      UNFINISHED.map(async ([file, what]) => ((await exists(join(gitDir, file))) ? what : undefined)),
    ),
    git(['symbolic-ref', '-q', 'HEAD'], { accept: [1] }),
    git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { accept: [1] }),
    hasConflicts(repository),
  ]);
  const commit = tip.code === 0 ? tip.stdout.trim() : null;
  const what = unfinished.find((found) => found !== undefined);
  if (what !== undefined) return { waitingFor: `${what} to end`, tip: commit };
  if (conflicted) return { waitingFor: 'the conflicts in the index to be resolved', tip: commit };
  if (head.code === 1) return { waitingFor: 'HEAD to be on a branch again', tip: commit };
  return { ref: head.stdout.trim(), tip: commit };
}

/** The index files that were found without conflicts, by work tree; reading a long one takes its time. */
const clean = new WeakMap<Repository, string>();

/** Whether paths are unmerged, as after a `git stash pop` that met something. */
async function hasConflicts(repository: Repository): Promise<boolean> {
  const stamp = await stampOf(join(repository.gitDir, 'index'));
  if (stamp === undefined || clean.get(repository) === stamp) return false;
  const { stdout } = await repository.git(['ls-files', '--unmerged', '-z']);
  if (stdout !== '') return true;
  clean.set(repository, stamp);
  return false;
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    // before the first `git add` there is no index, and nothing unmerged
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    // whatever keeps it from being seen, nothing is in progress that we could know of
    return false;
  }
}
