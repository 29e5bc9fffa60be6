import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { isAncestor } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';
import { readHead } from '../commit/head.js';
import type { IndexLocker } from '../commit/index-lock.js';

/** How often the repository is checked, in milliseconds: what a dead receiver leaves is finished within 15 s. */
const INTERVAL_MS = 5_000;

export interface RepositoryWatchOptions {
  readonly repository: Repository;
  readonly locker: Pick<IndexLocker, 'announce' | 'sweepDeadReceivers'>;
  readonly log: Log;
  /** The commit that this process has made last; undefined before the first. */
  lastCommit(): string | undefined;
  /** Called when another receiver on the repository has died, or has stopped with commits or pushes left. */
  onDeadReceiver(): void;
  /** Called when the owner has moved HEAD to a commit whose history lacks the one where it was. */
  onMoved(): void;
}

/**
 * Notices when another receiver on the same repository has died, and when the owner has moved the branch. What a receiver
 * had acknowledged is in the articles' files then, but perhaps in no commit, or in a parked one, or not pushed.
 *
 * @returns a function that ends the watch; it resolves when nothing of it is under way any more.
 */
export async function watchRepository(options: RepositoryWatchOptions): Promise<() => Promise<void>> {
  const { repository, locker, log, lastCommit, onDeadReceiver, onMoved } = options;
  let checking: Promise<void> | undefined;
  let reported: string | undefined;
  /** What the branch must contain; undefined until HEAD was on a branch. */
  let known: string | null | undefined;
  /** What `lastCommit` returned at the last check. */
  let lastMade: string | undefined;

  async function check(): Promise<void> {
    const count = await locker.sweepDeadReceivers();
    if (count > 0) {
      log.info({ receivers: count }, 'another receiver on this folder has ended; this one finishes its work');
      onDeadReceiver();
    }
    if (!(await hasMoved())) return;
    log.info('HEAD was moved; the articles are compared with the branch');
    onMoved();
  }

  /** A rebase counts as one move, after its end. */
  async function hasMoved(): Promise<boolean> {
    const made = lastCommit();
    const head = await readHead(repository);
    if (head.kind === 'not now') return false;
    const { tip } = head;
    const before = [known, made === lastMade ? undefined : made];
    let isGone = false;
    for (const commit of new Set(before))
      if (commit !== undefined && commit !== null && !(await isContained(commit, tip))) isGone = true;
    // Not before git has answered: where it fails, the next check asks again.
    known = tip;
    lastMade = made;
    return isGone;
  }

  async function isContained(commit: string, tip: string | null): Promise<boolean> {
    return commit === tip || (tip !== null && (await isAncestor(repository, commit, tip)));
  }

  /** One check at a time: a kernel lock is asked for in another process. */
  function checkUnlessChecking(): void {
    checking ??= check()
      .catch(report)
      .finally(() => {
        checking = undefined;
      });
  }

  /** Commits that fail for the same reason log more about it. */
  function report(error: unknown): void {
    const reason = messageOf(error);
    if (reason !== reported) log.debug({ reason }, 'the repository cannot be watched');
    reported = reason;
  }

  await locker.announce().catch(report);
  await hasMoved().catch(report);
  const timer = setInterval(checkUnlessChecking, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await checking;
  };
}
