import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { createRepeatedTask } from '../../repeated-task.js';
import type { CommittedFolder } from '../content-folder.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import { nextCommits, REFLOG_MESSAGE, removeNextRefs, stagedByOwner } from './move-branch.js';

/** How long git may take to look at all files, in milliseconds. */
const LIMIT_MS = 300_000;

/** How often all files are compared with the branch, and how often HEAD is checked for moves, in milliseconds. */
const COMPARE_EVERY_MS = 600_000;
const HEAD_EVERY_MS = 5_000;
/** The time before a comparison, in milliseconds: git adds to HEAD's log before it moves the branch. */
const GATHER_MS = 100;
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

/** Finds files that git lacks: at the start, every ten minutes, when another program has moved HEAD, and on request. */
export function createComparison({ place, log, isArticle, onUncommitted }: ComparisonOptions) {
  const { repository } = place;
  const timers: NodeJS.Timeout[] = [];
  let isClosed = false;

  /** @returns the reason if it has failed. */
  async function compare(): Promise<string | undefined> {
    try {
      // The refs are read first, so that the ref of a batch that begins during the comparison is not removed. A batch in
      // progress still has uncommitted files, so its ref is not removed either.
      const next = await nextCommits(repository);
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
    gatherMs: () => GATHER_MS,
    retryMs: () => AGAIN_MS,
  });

  function start(): void {
    task.request();
    const isMoved = followHead(repository);
    const compareIfMoved = () => {
      try {
        if (isMoved()) task.request();
      } catch (error) {
        log.debug({ reason: messageOf(error) }, 'HEAD could not be read');
      }
    };
    timers.push(
      setInterval(() => task.request(), COMPARE_EVERY_MS),
      setInterval(compareIfMoved, HEAD_EVERY_MS),
    );
    for (const timer of timers) timer.unref();
  }

  /** Ends after the current comparison. */
  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await task.close();
  }

  return { start, request: () => task.request(), close };
}

/**
 * Returns a function that tells whether anyone but Pressmark has moved HEAD since its last call: a checkout changes the file
 * HEAD, and each other move adds a line to its log.
 */
function followHead({ gitDir }: Pick<Repository, 'gitDir'>): () => boolean {
  const reflog = join(gitDir, 'logs', 'HEAD');
  const state = () => {
    const [head, log] = [join(gitDir, 'HEAD'), reflog].map((file) =>
      statSync(file, { throwIfNoEntry: false }),
    );
    return { head: head?.mtimeMs, ino: log?.ino, size: log?.size ?? 0 };
  };
  let last = state();

  return () => {
    const now = state();
    const isRewritten = now.head !== last.head || now.ino !== last.ino || now.size < last.size;
    const added = isRewritten ? '' : textBetween(reflog, last.size, now.size);
    last = now;
    return (
      isRewritten || added.split('\n').some((line) => line !== '' && !line.endsWith(`\t${REFLOG_MESSAGE}`))
    );
  };
}

/** Returns a part of a file, which has at least `end` bytes. */
function textBetween(path: string, start: number, end: number): string {
  if (start === end) return '';
  const bytes = Buffer.alloc(end - start);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, start);
  } finally {
    closeSync(file);
  }
  return bytes.toString();
}
