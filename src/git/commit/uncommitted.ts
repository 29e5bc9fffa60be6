import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { createRepeatedTask } from '../../repeated-task.js';
import type { CommittedFolder } from '../content-folder.js';
import { commitAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import { readHead } from './head.js';
import { nextCommits, removeNextRefs, stagedByOwner } from './move-branch.js';

/** How long git may take to look at all files, in milliseconds. */
const LIMIT_MS = 300_000;

/** How often all files are compared with the branch, and how often HEAD is checked for moves, in milliseconds. */
const COMPARE_EVERY_MS = 600_000;
const HEAD_EVERY_MS = 5_000;
/** The pause after a failed comparison, in milliseconds. */
const AGAIN_MS = 40_000;

/**
 * Returns the articles' files that differ from the branch by `git status`, without the owner's staged files.
 *
 * @param isArticle whether a path below the content folder is an article file's.
 * @returns paths relative to the site's folder.
 */
export async function uncommittedFiles(
  { repository, folder, inSite }: CommittedFolder,
  isArticle: (path: string) => boolean,
): Promise<string[]> {
  const run = { timeoutMs: LIMIT_MS, background: true };
  const status = await statusOf(repository, folder === '' ? [] : [folder], run);
  const theirs = await stagedByOwner(repository, status);
  return [...status.files].flatMap(([path, { isThere }]) =>
    isThere && !theirs.has(path) && isArticle(path.slice(folder.length)) ? [inSite(path)] : [],
  );
}

export interface ComparisonOptions {
  readonly place: CommittedFolder;
  readonly log: Log;
  /** Whether a path below the content folder is an article file's. */
  isArticle(path: string): boolean;
  /** Receives each file that git lacks; its path is relative to the site's folder. */
  onUncommitted(path: string): void;
}

/** Finds files that git lacks: at the start, every ten minutes, and when another program has moved HEAD. */
export function createComparison({ place, log, isArticle, onUncommitted }: ComparisonOptions) {
  const { repository } = place;
  const timers: NodeJS.Timeout[] = [];
  let isClosed = false;
  /** HEAD's commit at the last comparison, or Pressmark's last one on top of it; null on a branch without commits. */
  let compared: string | null | undefined;

  /** @returns the reason if it has failed. */
  async function compare(): Promise<string | undefined> {
    try {
      // The refs are read first, so that the ref of a batch that begins during the comparison is not removed. A batch in
      // progress still has uncommitted files, so its ref is not removed either.
      const next = await nextCommits(repository);
      compared = await commitAt(repository, 'HEAD');
      const found = await uncommittedFiles(place, isArticle);
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
      // A checkout changes the file HEAD; a commit does not.
      const isSwitched = headNow !== head;
      [head, reflog] = [headNow, logNow];
      const now = await readHead(repository);
      if (isSwitched || now.kind !== 'branch' || now.tip !== compared) task.request();
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

  /** Notes that this process has moved HEAD to its own commits. */
  function moved(from: string | null, to: string): void {
    if (from === compared) compared = to;
  }

  /** Ends after the current comparison. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await task.close();
  }

  return { start, moved, close };
}

/** Returns the modification times of HEAD and its log, which change when HEAD moves. */
function timesOfHead({ gitDir }: Repository): [head: number, log: number] {
  const at = (name: string) => statSync(join(gitDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [at('HEAD'), at(join('logs', 'HEAD'))];
}
