import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import { blobId, entriesAt } from '../objects.js';
import type { Repository } from '../repository.js';
import type { CommitQueue } from './commit-queue.js';
import { refuseWhileUnfinished } from './head.js';
import type { Outcome } from './pending.js';
import type { ReplacedFiles } from './replaced-files.js';

/**
 * Called before an update replaces an article's file. Afterwards git has what the file holds, or a plain file below
 * `.pressmark/replaced/` does.
 *
 * @param path relative to the site's folder.
 * @throws PressmarkError COMMIT_FAILED while a rebase or the like is unfinished, and where answers wait for commits and git
 *   fails; the system's errors where the plain file cannot be written. The update must not be stored then.
 */
export type BeforeReplace = (path: string) => Promise<void>;

export interface BeforeReplaceOptions {
  readonly repository: Repository;
  /** The path from the top of the work tree, of one that is relative to the site's folder. */
  inRepository(path: string): string;
  readonly queue: Pick<CommitQueue, 'commitNow' | 'obstacle'>;
  readonly replaced: Pick<ReplacedFiles, 'keep'>;
  readonly log: Log;
  /** Whether answers wait for commits; then an update does not go on without the commit of what it replaces. */
  readonly isBeforeAnswer: boolean;
  /** How long an update waits for git at the most, in milliseconds. */
  readonly limitMs: number;
}

/** How long an update waits for git where git has failed at the last attempt, in milliseconds. */
const FAILING_MS = 250;

/** Has the text that an update is about to replace committed; see `BeforeReplace`. */
export function createBeforeReplace(options: BeforeReplaceOptions): BeforeReplace {
  const { repository, inRepository, queue, replaced, log, isBeforeAnswer } = options;

  return async (path) => {
    refuseWhileUnfinished(repository);
    const bytes = await readFile(join(repository.top, repository.prefix, path));
    const isFailing = queue.obstacle !== undefined && !isBeforeAnswer;
    const limitMs = isFailing ? FAILING_MS : options.limitMs;
    if (await within(limitMs, isAtHead(path, bytes), () => false)) return;
    const outcome = await queue.commitNow(path, 'replaced', limitMs);
    if (outcome.kind === 'committed') return;
    if (isBeforeAnswer && outcome.kind === 'later') throw refusal(outcome);
    const file = await replaced.keep(path, bytes);
    const why = outcome.because;
    log.warn({ path, file, why }, 'an update has replaced a text that git does not have; this file has it');
  };

  /** Whether HEAD has exactly these bytes. Where git's filters change them, the queue finds out. */
  async function isAtHead(path: string, bytes: Buffer): Promise<boolean> {
    try {
      const there = inRepository(path);
      return (await entriesAt(repository, 'HEAD', [there])).get(there)?.id === blobId(repository, bytes);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say what HEAD has');
      return false;
    }
  }
}

function refusal({ because }: Exclude<Outcome, { kind: 'committed' }>): PressmarkError {
  return new PressmarkError(
    'COMMIT_FAILED',
    `the text that the update replaces could not be committed: ${because}; nothing was changed, send it again`,
  );
}
