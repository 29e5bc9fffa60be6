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
  /** Makes the store read the files at these paths again, relative to the content folder. */
  readAgain(paths: Iterable<string>): Promise<void>;
}

/**
 * Opens the branch that several machines share, and keeps this machine's branch, index and work tree at the remote's branch.
 * They change under the store's lock. At the start, files are restored that a power loss has torn, as the last merge may not
 * have been on the disk.
 *
 * Its functions throw PressmarkError REMOTE_UNAVAILABLE; COMMIT_FAILED if a person has to do something first.
 */
export async function openSharedBranch(options: SharedBranchOptions) {
  const { repository, remote, folder, author, sign, status, log, lock, readAgain } = options;
  let tip = await commitAt(repository, FETCHED_REF);
  /** The commit that the work tree has; undefined if it is unknown. */
  let followed: string | undefined;
  let epoch = 0;
  const torn = await lock.run(() => restoreTornFiles(repository, folder));
  if (torn.length > 0)
    log.warn({ files: torn }, 'a power loss has damaged these files; they are restored from HEAD');

  /** Brings the work tree to the last known tip of the remote; the first time, asks the remote. */
  async function begin(): Promise<void> {
    // Ask first: the remote may never have had the known tip.
    await (tip === null || followed === undefined ? fetch() : followTip(tip));
  }

  /** Brings the work tree to a commit that the remote has accepted. @param own the files that the commit has changed. */
  async function pushed(commit: string, own: ReadonlySet<string>): Promise<void> {
    tip = commit;
    await followTip(commit, own);
  }

  /** Asks the remote, and brings the work tree to its tip. @returns whether the tip is new. */
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
      epoch++; // only now: a decision with this number must know these files
    }
  }

  return {
    /** The last commit that the remote is known to have; null if there is none. */
    get tip() {
      return tip;
    },
    /** A number that changes when another machine has changed files. */
    get epoch() {
      return epoch;
    },
    begin,
    fetch,
    pushed,
  };
}
