import { PressmarkError } from '../../errors.js';
import type { Lock } from '../../fs/lock.js';
import type { Log } from '../../log.js';
import { branchName } from '../commit/head.js';
import type { Person } from '../identity.js';
import { changesBetween, commitAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { follow } from './follow.js';
import type { PushStatusKeeper } from './push-status.js';
import { FETCHED_REF, type Remote } from './remote.js';
import { restoreTornFiles } from './torn-files.js';

export interface SharedBranchOptions {
  readonly repository: Repository;
  readonly remote: Remote;
  /** The content folder from the top of the work tree, with a slash at its end. */
  readonly folder: string;
  readonly author: Person | undefined;
  /** Whether merges are signed. */
  readonly sign: boolean;
  readonly status: PushStatusKeeper;
  readonly log: Log;
  /** The store's lock. */
  readonly lock: Lock;
  /** Has the store read the files at these paths again, below the content folder. */
  readAgain(paths: Iterable<string>): Promise<void>;
}

/**
 * The branch that several machines share: keeps this machine's branch, index and work tree where the remote's branch is.
 * They change under the store's lock, which nobody needs while the remote is waited for. Before that, files are restored that
 * a power loss has torn: the last merge may not have been on the disk.
 *
 * All of it throws PressmarkError REMOTE_UNAVAILABLE; COMMIT_FAILED if a person has to do something first.
 */
export async function openSharedBranch(options: SharedBranchOptions) {
  const { repository, remote, folder, author, sign, status, log, lock, readAgain } = options;
  let tip = await commitAt(repository, FETCHED_REF);
  /** The one that the work tree has; undefined if that is not known. */
  let followed: string | undefined;
  let epoch = 0;
  const torn = await lock.run(() => restoreTornFiles(repository, folder));
  if (torn.length > 0)
    log.warn({ files: torn }, 'a power loss has torn these files; they are as HEAD has them again');

  /** Brings the work tree to the remote's tip as far as it is known; asks the remote the first time. */
  async function begin(): Promise<void> {
    // Nothing is pushed upon a tip that the remote may never have had.
    await (tip === null || followed === undefined ? fetch() : followTip(tip));
  }

  /** Says that the remote has taken a commit, and brings the work tree to it. @param own the files that it has changed. */
  async function pushed(commit: string, own: ReadonlySet<string>): Promise<void> {
    tip = commit;
    await followTip(commit, own);
  }

  /** Asks the remote, and brings the work tree to its tip. @returns whether the remote has another one. */
  async function fetch(): Promise<boolean> {
    const fetched = await remote.fetch(tip);
    if (fetched === null)
      throw new PressmarkError(
        'REMOTE_UNAVAILABLE',
        `${remote.name} has no branch ${branchName(remote.ref)}; push it`,
      );
    const isNew = fetched !== tip;
    tip = fetched;
    await followTip(fetched);
    return isNew;
  }

  /**
   * Brings the branch, the index and the work tree to a commit of the remote.
   *
   * @param own the files that this machine has just pushed.
   * @throws PressmarkError COMMIT_FAILED if a person has to do something first.
   */
  async function followTip(commit: string, own: ReadonlySet<string> = new Set()): Promise<void> {
    const result = await follow(commit, { repository, author, sign, ref: remote.ref, whileLocked: lock.run });
    if (result.kind === 'waiting') {
      const { waitingFor } = result;
      if (status.now.waitingFor !== waitingFor)
        log.warn(`the work tree does not follow the remote; it waits for ${waitingFor}`);
      status.set({ waitingFor });
      throw new PressmarkError('COMMIT_FAILED', `this machine waits for ${waitingFor}`);
    }
    const before = followed;
    followed = commit;
    const isKnown = before === undefined || before === commit;
    const changes = isKnown ? result.changes : await changesBetween(repository, before, commit, folder);
    const others = changes.filter(({ path }) => path.startsWith(folder) && !own.has(path));
    if (before !== undefined && others.length === 0) return;
    try {
      await readAgain(others.map(({ path }) => path.slice(folder.length)));
    } finally {
      epoch++; // not before: what is decided with this number must know these files
    }
  }

  return {
    /** The last commit that the remote is known to have; null for none. */
    get tip() {
      return tip;
    },
    /** Another number whenever another machine has changed files. */
    get epoch() {
      return epoch;
    },
    begin,
    fetch,
    pushed,
  };
}
