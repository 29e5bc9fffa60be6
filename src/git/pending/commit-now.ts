import { PressmarkError } from '../../errors.js';
import type { ArticleChange } from '../../host/hook-types.js';
import { type Repository, untilAborted } from '../cli/repository.js';
import { blobsAt } from '../cli/trees.js';
import { blobAsItIs } from '../commit/blobs.js';
import type { NotNow } from '../commit/head.js';
import { eventOf, kindOf } from '../commit/message.js';
import { resolveFiles } from '../commit/placement.js';
import type { Committer } from './committer.js';
import type { ReplacedTexts } from './replaced-texts.js';
import type { Waiting } from './waiting.js';

/** An article's file that was stored and is not acknowledged yet. */
export interface StoredChange {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly article: ArticleChange['article'];
}

/**
 * Commits what was stored, each by itself, and resolves when the commits are on the disk, the folders of git's
 * files included: on the branch, or parked where the branch is in use or locked.
 *
 * The article's file stays whatever this throws: only a person's edit that has no commit prevents an update.
 *
 * @throws PressmarkError COMMIT_FAILED, and nothing was committed; COMMIT_UNCERTAIN where something was, which
 *   may not survive a power loss, or where git has not come to an end in time.
 */
export type CommitNow = (
  changes: readonly StoredChange[],
  options?: {
    /** Whether the texts are people's edits; those that they have staged are theirs to commit. @default false */
    readonly isEdit?: boolean;
  },
) => Promise<void>;

/** How long git may take while an answer waits, in milliseconds: a delivery may wait for two batches, the service for 30 s. */
const LONGEST_MS = 8_000;

/**
 * What makes commits before the answer, for durability `commit`.
 *
 * @param replaced keeps people's edits until it is certain what has become of them.
 * @param parked is told that something was parked, so that it does not lie there until the next delivery.
 */
export function createCommitNow(
  repository: Repository,
  committer: Committer,
  replaced: Pick<ReplacedTexts, 'keep' | 'drop' | 'settle'>,
  parked: () => void,
): CommitNow {
  return async (changes, { isEdit = false } = {}) => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), LONGEST_MS);
    // The work may be waiting for its turn or for a lock then, where no signal ends it.
    const tooLate = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(lateError(isEdit)));
    });
    try {
      await Promise.race([tooLate, commitUntil(limit.signal, changes, isEdit)]);
    } finally {
      clearTimeout(timer);
    }
  };

  async function commitUntil(
    signal: AbortSignal,
    changes: readonly StoredChange[],
    isEdit: boolean,
  ): Promise<void> {
    const bounded = untilAborted(repository, signal);
    const make = async ({ path, text, article }: StoredChange): Promise<Waiting> => {
      const kind = isEdit ? 'Edit' : kindOf(article);
      const event = eventOf(kind);
      const timestamp = article.updated ?? article.date;
      const message = committer.messageFor(kind, { event, article, path, text, timestamp });
      // saved anew meanwhile? then the update is made from what is there no more, and refused
      const blob = isEdit ? await blobAsItIs(bounded, `${repository.prefix}${path}`, text) : undefined;
      const known = blob === undefined || blob === 'gone' ? {} : { blob };
      return { path, kind, text, ...known, revision: article.revision, message, before: undefined };
    };
    const kept: string[] = [];
    let batch: Waiting[];
    let ref: string;
    try {
      if (isEdit) for (const { path } of changes) kept.push((await replaced.keep(path)).name);
      batch = await Promise.all(changes.map(make));
      ref = await commitOrPark(signal, batch);
    } catch (cause) {
      for (const name of kept) await replaced.drop(name); // the file still has it
      const what = isEdit
        ? 'the edit that the update replaces could not be committed; nothing was changed, send it again'
        : 'the article is stored, but could not be committed; send it again';
      throw new PressmarkError('COMMIT_FAILED', what, { cause });
    }
    try {
      await Promise.all([repository.syncDirectories(ref), isEdit || requireCommitted(bounded, ref, batch)]);
      await replaced.settle(kept);
    } catch (cause) {
      if (cause instanceof PressmarkError && cause.code === 'COMMIT_UNCERTAIN') throw cause;
      const message = 'the commit may not be on the disk yet; send it again';
      throw new PressmarkError('COMMIT_UNCERTAIN', message, { cause });
    }
  }

  /** @returns the ref that has the commits. */
  async function commitOrPark(signal: AbortSignal, batch: readonly Waiting[]): Promise<string> {
    const { look, replay, commit, park } = committer.untilAborted(signal);
    const { head, parked: areParked } = await look();
    for (const change of batch) change.before ??= head.tip;
    let held: NotNow | undefined;
    if ('waitingFor' in head) held = head;
    else {
      // what was parked earlier comes first
      const earlier = areParked ? await replay(head) : undefined;
      held = typeof earlier === 'object' ? earlier : await commit(batch, head);
      if (held === undefined) return head.ref;
    }
    await park(batch, held);
    parked();
    return repository.parkedRef;
  }

  /** What git ignores, or what is in a repository of its own, was passed over. */
  async function requireCommitted(
    bounded: Repository,
    ref: string,
    batch: readonly Waiting[],
  ): Promise<void> {
    if (ref === repository.parkedRef) return;
    const places = await resolveFiles(
      bounded,
      batch.map(({ path }) => path),
    );
    const inRepository = [...places.values()].flatMap((place) =>
      'inRepository' in place ? [place.inRepository] : [],
    );
    const there = await blobsAt(bounded, ref, inRepository);
    for (const [path, place] of places) {
      if ('refused' in place || !there.has(place.inRepository))
        throw new PressmarkError('COMMIT_UNCERTAIN', `${path} is not committed; the log says why`);
    }
  }
}

function lateError(isEdit: boolean): PressmarkError {
  const late = `git took longer than ${LONGEST_MS / 1_000} s on this receiver and was stopped`;
  if (isEdit)
    return new PressmarkError('COMMIT_FAILED', `${late}; nothing was changed, send it again when git works`);
  const what = 'the article is stored, but has no commit yet';
  return new PressmarkError('COMMIT_UNCERTAIN', `${late}; ${what}: send it again when git works`);
}
