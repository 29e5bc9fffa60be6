import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { commitAt } from '../objects.js';
import type { Repository } from '../repository.js';

/** The branch that commits go to. */
export interface Branch {
  readonly kind: 'branch';
  /** Its full name, such as `refs/heads/main`. */
  readonly ref: string;
  /** Its last commit; null before the first. */
  readonly tip: string | null;
}

/** A branch's name for people. */
export function branchName(ref: string): string {
  return ref.replace('refs/heads/', '');
}

/** There is no branch to commit to now, because the owner or another program has not finished a command. */
export interface NotNow {
  readonly kind: 'not now';
  /** The obstacle, as the end of a sentence that begins with "waits for". */
  readonly waitingFor: string;
}

/** The files and folders in the git directory that mark an unfinished command. Aborting such a command may undo updates. */
const UNFINISHED: readonly (readonly [file: string, what: string])[] = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase or git am'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  // Exists between two commits of a sequence, and while one of them is edited.
  ['sequencer', 'a cherry-pick or revert'],
];

/** Returns the owner's unfinished command, such as `a rebase`; undefined if there is none. */
export function unfinishedCommand({ gitDir }: Pick<Repository, 'gitDir'>): string | undefined {
  return UNFINISHED.find(([file]) => existsSync(join(gitDir, file)))?.[1];
}

/**
 * Throws while a rebase or the like is unfinished: `git rebase --abort` would undo an update that is stored now, and the files
 * may have something else when the command has ended.
 *
 * @throws PressmarkError COMMIT_FAILED.
 */
export function refuseWhileUnfinished(repository: Pick<Repository, 'gitDir'>): void {
  const unfinished = unfinishedCommand(repository);
  if (unfinished === undefined) return;
  throw new PressmarkError(
    'COMMIT_FAILED',
    `${unfinished} is unfinished in the site's repository; send it again when that has ended`,
  );
}

/** Reads the branch that HEAD is on, with its last commit. Usually runs no git command. */
export async function readHead(repository: Repository): Promise<Branch | NotNow> {
  const branch = await readBranch(repository);
  return branch.kind === 'branch' ? { ...branch, tip: await tipOf(repository, branch.ref) } : branch;
}

/** Reads the last commit of a branch; null before the first. */
async function tipOf(repository: Repository, ref: string): Promise<string | null> {
  const text = await readFile(join(repository.commonDir, ref), 'utf8').catch(() => '');
  // A packed branch and one with reftable have no such file, and the file of a symbolic one names another branch.
  return /^[0-9a-f]{40,64}\n$/.test(text) ? text.trim() : commitAt(repository, ref);
}

/** Like `readHead`, but without the last commit. Usually runs no git command. */
export async function readBranch(repository: Repository): Promise<Omit<Branch, 'tip'> | NotNow> {
  const unfinished = unfinishedCommand(repository);
  if (unfinished !== undefined) return notNow(`${unfinished} to end`);
  if (isBisecting(repository)) return notNow('a bisect to end');
  const ref = await branchOfHead(repository);
  if (ref === undefined) return notNow('HEAD to be on a branch again');
  return { kind: 'branch', ref };
}

/** Whether HEAD is on that branch, and no rebase or the like is unfinished. */
export async function isOn(repository: Repository, { ref }: Pick<Branch, 'ref'>): Promise<boolean> {
  const branch = await readBranch(repository);
  return branch.kind === 'branch' && branch.ref === ref;
}

/** Whether HEAD has left that branch, and not for a rebase, a bisect or the like, which come back to it. */
export async function hasLeft(repository: Repository, { ref }: Pick<Branch, 'ref'>): Promise<boolean> {
  if (unfinishedCommand(repository) !== undefined || isBisecting(repository)) return false;
  return (await branchOfHead(repository)) !== ref;
}

function isBisecting({ gitDir }: Pick<Repository, 'gitDir'>): boolean {
  return existsSync(join(gitDir, 'BISECT_LOG'));
}

function notNow(waitingFor: string): NotNow {
  return { kind: 'not now', waitingFor };
}

/** Returns the full name of the branch that HEAD is on; undefined if HEAD is detached. */
async function branchOfHead({
  git,
  gitDir,
}: Pick<Repository, 'git' | 'gitDir'>): Promise<string | undefined> {
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '');
  const [, ref] = /^ref: (refs\/heads\/.+)\n$/.exec(head) ?? [];
  // With reftable the file says `refs/heads/.invalid`; then git must be asked.
  if (ref !== undefined && !ref.includes('/.')) return ref;
  const { code, stdout } = await git(['symbolic-ref', '-q', 'HEAD'], { accept: [1] });
  return code === 0 ? stdout.trim() : undefined;
}
