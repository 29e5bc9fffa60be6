import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { createRepeatedTask } from '../../repeated-task.js';
import type { CommittedFolder } from '../content-folder.js';
import { commitAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import { nextCommits, removeNextRefs, stagedByOwner } from './next-commits.js';

/** How long git may take to look at all files, in milliseconds. */
const LIMIT_MS = 300_000;

/** How often all files are compared with the branch, and how often it is seen whether HEAD has moved, in milliseconds. */
const COMPARE_EVERY_MS = 600_000;
const HEAD_EVERY_MS = 5_000;
/** After how long a comparison that failed is made again, in milliseconds. */
const AGAIN_MS = 40_000;

/**
 * The files of the content folder that differ from the branch, as `git status` has it, without those that the owner has
 * staged.
 *
 * @returns paths relative to the site's folder.
 */
export async function uncommittedFiles({ repository, folder, inSite }: CommittedFolder): Promise<string[]> {
  const run = { timeoutMs: LIMIT_MS, background: true };
  const status = await statusOf(repository, folder === '' ? [] : [folder], run);
  const theirs = await stagedByOwner(repository, status);
  return [...status.files].flatMap(([path, { isThere }]) =>
    isThere && !theirs.has(path) ? [inSite(path)] : [],
  );
}

/**
 * Finds what git lacks: at the start, every ten minutes, and when HEAD has been moved by another program.
 *
 * @param onUncommitted receives each file that git lacks.
 * @param isOwn whether this process has made the commit, as its last one.
 */
export function createComparison(
  place: CommittedFolder,
  log: Log,
  onUncommitted: (path: string) => void,
  isOwn: (commit: string | null) => boolean,
) {
  const { repository } = place;
  const timers: NodeJS.Timeout[] = [];
  let isClosed = false;

  /** @returns the reason where it has failed. */
  async function compare(): Promise<string | undefined> {
    try {
      // Read first: a batch that begins during the comparison has another one, which it needs. One that is under way has
      // files that are not committed yet.
      const next = await nextCommits(repository);
      const found = await uncommittedFiles(place);
      for (const path of found) onUncommitted(path);
      if (found.length === 0) await removeNextRefs(repository, next);
      log.debug({ uncommitted: found.length }, 'articles compared with the branch');
      return undefined;
    } catch (error) {
      if (!isClosed)
        log.error({ err: error }, 'the articles could not be compared with the branch; tried again later');
      return messageOf(error);
    }
  }

  const task = createRepeatedTask({
    attempt: compare,
    onChange: () => undefined,
    gatherMs: () => 0,
    retryMs: () => AGAIN_MS,
  });

  function start(): void {
    task.request();
    let [head, reflog] = timesOfHead(repository);
    const compareIfMoved = async (): Promise<void> => {
      const [headNow, logNow] = timesOfHead(repository);
      if (headNow === head && logNow === reflog) return;
      // A commit leaves the file HEAD as it is; a checkout does not.
      const isSwitched = headNow !== head;
      [head, reflog] = [headNow, logNow];
      if (isSwitched || !isOwn(await commitAt(repository, 'HEAD'))) task.request();
    };
    const onTimer = () =>
      void compareIfMoved().catch((error: unknown) =>
        log.debug({ reason: messageOf(error) }, 'HEAD could not be read'),
      );
    timers.push(
      setInterval(() => task.request(), COMPARE_EVERY_MS),
      setInterval(onTimer, HEAD_EVERY_MS),
    );
    for (const timer of timers) timer.unref();
  }

  /** Ends after the comparison under way. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await task.close();
  }

  return { start, close };
}

/** The times of HEAD and of its log, which change when it moves. */
function timesOfHead({ gitDir }: Repository): [head: number, log: number] {
  const at = (name: string) => statSync(join(gitDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [at('HEAD'), at(join('logs', 'HEAD'))];
}
