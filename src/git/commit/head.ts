import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitAt } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import { hasConflicts } from './index.js';

/** The branch that commits go to. */
export interface Branch {
  readonly kind: 'branch';
  /** Its full name, such as `refs/heads/main`. */
  readonly ref: string;
  /** Its last commit; null before the first. */
  readonly tip: string | null;
}

/** There is no branch to commit to now: the owner, or another program, is in the middle of something. */
export interface NotNow {
  readonly kind: 'not now';
  readonly waitingFor: string;
  /** The commit that HEAD is at; null before the first. */
  readonly tip: string | null;
}

/** @param waitingFor what must end before anything is committed, as the end of a sentence. */
export function notNow(waitingFor: string, tip: string | null): NotNow {
  return { kind: 'not now', waitingFor, tip };
}

const UNFINISHED: readonly (readonly [file: string, what: string])[] = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  // between two commits of a sequence, or while one of them is edited
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
];

/** The branch that HEAD is on, or what must end before anything is committed. */
export async function readHead(repository: Repository): Promise<Branch | NotNow> {
  const { gitDir } = repository;
  const [ref, commit, conflicted] = await Promise.all([
    branchOfHead(repository),
    commitAt(repository, 'HEAD'),
    hasConflicts(repository),
  ]);
  // Not asynchronous: the system knows these names, and says so in less time than another thread needs for its turn.
  const [, unfinished] = UNFINISHED.find(([file]) => existsSync(join(gitDir, file))) ?? [];
  if (unfinished !== undefined) return notNow(`${unfinished} to end`, commit);
  if (conflicted) return notNow('the conflicts in the index to be resolved', commit);
  if (ref === undefined) return notNow('HEAD to be on a branch again', commit);
  return { kind: 'branch', ref, tip: commit };
}

/** The full name of the branch that HEAD is on; undefined where it is detached. */
async function branchOfHead({ git, gitDir }: Repository): Promise<string | undefined> {
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '');
  const [, ref] = /^ref: (refs\/heads\/.+)\n$/.exec(head) ?? [];
  // With reftable the file says `refs/heads/.invalid`; what else there may be git knows.
  if (ref !== undefined && !ref.includes('/.')) return ref;
  const { code, stdout } = await git(['symbolic-ref', '-q', 'HEAD'], { accept: [1] });
  return code === 0 ? stdout.trim() : undefined;
}
