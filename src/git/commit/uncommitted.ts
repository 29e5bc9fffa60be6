import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
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
/** So long a git that has outlived its receiver may still write the index, in milliseconds. */
const OUTLIVED_MS = 30_000;

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
  let again: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isClosed = false;

  function compare(): void {
    isWanted = true;
    running ??= compareNow().finally(() => {
      running = undefined;
      if (isWanted && !isClosed) compare();
    });
  }

  async function compareNow(): Promise<void> {
    isWanted = false;
    try {
      // Read first: a batch that begins during the comparison has another one, which it needs.
      const next = await nextCommits(repository);
      const found = await uncommittedFiles(place);
      for (const path of found) onUncommitted(path);
      const left = next.filter(({ madeAt }) => madeAt < Date.now() - OUTLIVED_MS);
      if (found.length === 0) await removeNextRefs(repository, left);
      if (left.length < next.length) compareLater();
      log.debug({ uncommitted: found.length }, 'articles compared with the branch');
    } catch (error) {
      if (isClosed) return;
      log.error({ err: error }, 'the articles could not be compared with the branch; tried again later');
      compareLater();
    }
  }

  function compareLater(): void {
    clearTimeout(again);
    if (!isClosed) again = setTimeout(compare, AGAIN_MS).unref();
  }

  function start(): void {
    compare();
    let [head, reflog] = timesOfHead(repository);
    const compareIfMoved = async (): Promise<void> => {
      const [headNow, logNow] = timesOfHead(repository);
      if (headNow === head && logNow === reflog) return;
      // A commit leaves the file HEAD as it is; a checkout does not.
      const isSwitched = headNow !== head;
      [head, reflog] = [headNow, logNow];
      if (isSwitched || !isOwn(await commitAt(repository, 'HEAD'))) compare();
    };
    const onTimer = () =>
      void compareIfMoved().catch((error: unknown) =>
        log.debug({ reason: messageOf(error) }, 'HEAD could not be read'),
      );
    timers.push(setInterval(compare, COMPARE_EVERY_MS).unref(), setInterval(onTimer, HEAD_EVERY_MS).unref());
  }

  /** Ends after the comparison under way. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearTimeout(timer);
    clearTimeout(again);
    await running;
  }

  return { start, close };
}

/** The times of HEAD and of its log, which change when it moves. */
function timesOfHead({ gitDir }: Repository): [head: number, log: number] {
  const at = (name: string) => statSync(join(gitDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [at('HEAD'), at(join('logs', 'HEAD'))];
}
