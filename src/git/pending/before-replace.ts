import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import { objectsNamed } from '../cli/objects.js';
import { blobId, type Repository } from '../cli/repository.js';
import { readHead } from '../commit/head.js';
import type { Queue } from './commit-queue.js';
import { isInGit, type Outcome } from './pending-commit.js';
import type { ReplacedFiles } from './replaced-files.js';

/**
 * Called before an update replaces an article's file. Afterwards git has what the file holds, or a plain file below
 * `.pressmark/replaced/` does.
 *
 * @param path relative to the site's folder.
 * @throws PressmarkError COMMIT_FAILED where answers wait for commits, and git fails; the system's errors where the plain
 *   file cannot be written. The update must not be stored then.
 */
export type BeforeReplace = (path: string) => Promise<void>;

export interface BeforeReplaceOptions {
  readonly repository: Repository;
  readonly queue: Pick<Queue, 'commitSoon' | 'isFailing'>;
  readonly replaced: ReplacedFiles;
  readonly log: Log;
  /** Whether answers wait for commits; then an update does not go on without the commit of what it replaces. */
  readonly isBeforeAnswer: boolean;
  /** How long an update waits for git at the most, in milliseconds. */
  readonly limitMs: number;
}

/** How long an update waits for what HEAD has, in milliseconds, where git has failed or hangs. */
const FAILING_MS = 250;

/** Has the text that an update is about to replace committed or parked; see `BeforeReplace`. */
export function createBeforeReplace({
  repository,
  queue,
  replaced,
  log,
  isBeforeAnswer,
  limitMs,
}: BeforeReplaceOptions): BeforeReplace {
  return async (path) => {
    const bytes = await readFile(join(repository.top, repository.prefix, path));
    const began = performance.now();
    if (await within(queue.isFailing ? FAILING_MS : limitMs, isCommitted(path, bytes), () => false)) return;
    let why = 'git has failed at the last attempt';
    let onLate: (outcome: Outcome) => void = () => undefined;
    const late = new Promise<Outcome>((resolve) => {
      onLate = resolve;
    });
    if (isBeforeAnswer || !queue.isFailing) {
      try {
        const pending = { path, cause: { kind: 'found' } } as const;
        const remainingMs = Math.max(0, began + limitMs - performance.now());
        const outcome = await queue.commitSoon(pending, { isReplaced: true, limitMs: remainingMs, onLate });
        if (outcome !== undefined && isInGit(outcome)) return;
        if (isBeforeAnswer && outcome?.kind !== 'passed over')
          throw refusal(outcome?.kind === 'failed' ? outcome.error : undefined);
        why = reasonOf(outcome, limitMs);
      } catch (error) {
        if (isBeforeAnswer) throw refusal(error);
        why = messageOf(error);
      }
    }
    const file = await replaced.keep(path, bytes);
    const ms = Math.round(performance.now() - began);
    log.warn(
      { path, file, ms, why },
      'an update has replaced a text that git does not have; this file has it',
    );
    void late.then((outcome) => removeUnlessNeeded(path, file, bytes, outcome));
  };

  /** A batch that took too long may have committed the text after all. */
  async function removeUnlessNeeded(
    path: string,
    file: string,
    bytes: Buffer,
    outcome: Outcome,
  ): Promise<void> {
    if (!isInGit(outcome) || outcome.blob !== blobId(repository, bytes)) return;
    try {
      await replaced.remove(file);
      log.info({ path, file }, 'git has the replaced text by now; the file was removed');
    } catch (error) {
      log.warn({ file, reason: messageOf(error) }, 'a file that is not needed any more could not be removed');
    }
  }

  /** Whether HEAD or the parked commits have exactly these bytes. Where git's filters change them, the queue finds out. */
  async function isCommitted(path: string, bytes: Buffer): Promise<boolean> {
    const names = ['HEAD', repository.parkedRef].map((ref) => `${ref}:${repository.prefix}${path}`);
    try {
      const [inHead, parked] = await objectsNamed(repository, names, { timeoutMs: limitMs });
      const id = blobId(repository, bytes);
      if (inHead?.id !== id && parked?.id !== id) return false;
      // Another receiver, or the owner, may have committed it in this moment: a power loss must not take it away.
      await repository.syncObject(id);
      if (parked?.id === id) await repository.syncRef(repository.parkedRef);
      const head = await readHead(repository);
      if (head.kind === 'branch') await repository.syncRef(head.ref);
      return true;
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'git did not say what HEAD has');
      return false;
    }
  }
}

function refusal(cause: unknown): PressmarkError {
  if (cause instanceof PressmarkError && cause.code === 'COMMIT_FAILED') return cause;
  const message =
    'the text that the update replaces could not be committed; nothing was changed, send it again';
  return new PressmarkError('COMMIT_FAILED', message, { cause });
}

function reasonOf(outcome: Outcome | undefined, limitMs: number): string {
  if (outcome === undefined) return `git took longer than ${limitMs / 1_000} s`;
  switch (outcome.kind) {
    case 'passed over':
      return outcome.why;
    case 'failed':
      return messageOf(outcome.error);
    default:
      return 'git could not commit it now';
  }
}
