import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { IndexLocker } from '../commit/index-lock.js';

/** How often other receivers are looked at, in milliseconds: what a dead one leaves is finished within 15 s. */
const INTERVAL_MS = 5_000;

export interface DeadReceiversOptions {
  readonly locker: Pick<IndexLocker, 'announce' | 'sweepDeadReceivers'>;
  readonly log: Log;
  /** Called when another receiver on the repository has died, or has stopped with commits or pushes left. */
  finishTheirWork(): void;
}

/**
 * Notices when another receiver on the same repository has died. What it had acknowledged is in the articles' files, but
 * perhaps in no commit, or in a parked one, or not pushed.
 *
 * @returns a function that ends the watch.
 */
export async function watchForDeadReceivers({
  locker,
  log,
  finishTheirWork,
}: DeadReceiversOptions): Promise<() => void> {
  let isLooking = false;
  let reported: string | undefined;

  async function look(): Promise<void> {
    const count = await locker.sweepDeadReceivers();
    if (count === 0) return;
    log.info({ receivers: count }, 'another receiver on this folder has ended; this one finishes its work');
    finishTheirWork();
  }

  /** One look at a time: a kernel lock is asked for in another process. */
  async function lookUnlessLooking(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    await look().catch(report);
    isLooking = false;
  }

  /** Commits fail for the same reason, and say more of it. */
  function report(error: unknown): void {
    const reason = messageOf(error);
    if (reason !== reported) log.debug({ reason }, 'other receivers on this folder cannot be watched');
    reported = reason;
  }

  await locker.announce().catch(report);
  const timer = setInterval(() => void lookUnlessLooking(), INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
