import { PressmarkError } from '../../errors.js';
import type { ArticleChange } from '../../host/hook-types.js';
import { blobId, type Repository } from '../cli/repository.js';
import { kindOf } from '../commit/message.js';
import type { CommitMessages } from './commit-messages.js';
import type { Queue } from './commit-queue.js';
import { isInGit, type Outcome } from './pending-commit.js';

/** An article's file that was stored and is not acknowledged yet. */
export interface StoredChange {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly article: ArticleChange['article'];
  /** Whether an earlier delivery has stored it. */
  readonly isKnown: boolean;
}

/** How long git may take while an answer waits, in milliseconds: a delivery may wait for two batches, the service for 30 s. */
const LIMIT_MS = 8_000;

/**
 * Called with durability `commit` before a stored article is acknowledged. Resolves when its commit, on the branch or
 * parked, is on the disk. Those that are waited for at the same time are committed together.
 *
 * @throws PressmarkError COMMIT_FAILED where it has no commit. Its file stays as it was written and is committed later,
 *   so that the sender's next attempt is answered with 200.
 */
export type CommitBeforeAnswer = (change: StoredChange) => Promise<void>;

/** See `CommitBeforeAnswer`. */
export function createCommitBeforeAnswer(
  repository: Pick<Repository, 'objectFormat'>,
  queue: Pick<Queue, 'commitSoon'>,
  messages: CommitMessages,
): CommitBeforeAnswer {
  return async ({ path, text, article, isKnown }) => {
    const kind = kindOf(article);
    const cause = {
      kind: 'delivered',
      isKnown,
      commit: kind,
      blob: blobId(repository, Buffer.from(text)),
      message: messages.ofFile(kind, path, { article, text }),
    } as const;
    const options = { isReplaced: false, limitMs: LIMIT_MS };
    const outcome = await queue.commitSoon({ path, cause }, options).catch((cause: unknown) => {
      const message = 'the article is stored, but could not be committed; send it again';
      throw new PressmarkError('COMMIT_FAILED', message, { cause });
    });
    if (outcome !== undefined && isInGit(outcome)) return;
    throw new PressmarkError(
      'COMMIT_FAILED',
      `the article is stored, but has no commit yet: ${whyNot(outcome)}`,
    );
  };
}

function whyNot(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case undefined:
      return `git took longer than ${LIMIT_MS / 1_000} s on this receiver; send it again when git works`;
    case 'passed over':
      return `${outcome.why}; change that and send it again`;
    default:
      return 'the receiver’s log has the reason; send it again when git works';
  }
}
