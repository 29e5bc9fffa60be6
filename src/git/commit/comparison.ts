import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../content-folder.js';
import { commitAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { nextCommits, removeNextRefs } from './next-commits.js';
import { uncommittedFiles } from './uncommitted.js';

/** How often all files are compared with the branch, and how often it is seen whether HEAD has moved, in milliseconds. */
const COMPARE_EVERY_MS = 600_000;
const HEAD_EVERY_MS = 5_000;
/** After how long a comparison that failed is made again, in milliseconds. */
const AGAIN_MS = 60_000;

export interface ComparisonOptions {
  readonly repository: Repository;
  /** The content folder, relative to the site's folder, and where it is. */
  readonly content: string;
  readonly place: Extract<ContentFolder, { kind: 'inside' }>;
  readonly log: Log;
  /** Receives each file that git lacks. */
  onUncommitted(path: string): void;
  /** Whether this process has made the commit, as its last one. */
  isOwn(commit: string | null): boolean;
}

/** The comparison of the files with the branch; see `createComparison`. */
export interface Comparison {
  start(): void;
  /** Ends after the one under way. */
  close(): Promise<void>;
}

/** Finds what git lacks: at the start, every ten minutes, and when HEAD has been moved by another program. */
export function createComparison(options: ComparisonOptions): Comparison {
  const { repository, content, place, log, onUncommitted, isOwn } = options;
  const timers: NodeJS.Timeout[] = [];
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
      const found = await uncommittedFiles(repository, place, content);
      for (const path of found) onUncommitted(path);
      if (found.length === 0) await removeNextRefs(repository, next);
      log.debug({ uncommitted: found.length }, 'articles compared with the branch');
    } catch (error) {
      if (isClosed) return;
      log.error({ err: error }, 'the articles could not be compared with the branch; tried again later');
      timers.push(setTimeout(compare, AGAIN_MS).unref());
    }
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

  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearTimeout(timer);
    await running;
  }

  return { start, close };
}

/** The times of HEAD and of its log, which change when it moves. */
function timesOfHead({ gitDir }: Repository): [head: number, log: number] {
  const at = (name: string) => statSync(join(gitDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [at('HEAD'), at(join('logs', 'HEAD'))];
}
