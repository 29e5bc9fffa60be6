import { setTimeout } from 'node:timers/promises';
import { PressmarkError } from '../errors.js';
import type { ArticleChange } from '../host/hook-types.js';
import { blobAsItIs } from './blobs.js';
import type { Committer } from './committer.js';
import type { Branch, NotNow } from './head.js';
import { eventOf, kindOf } from './message.js';
import type { ReplacedTexts } from './replaced-texts.js';
import type { Repository } from './repository.js';
import { blobsAt } from './tree.js';
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
 * files included: on the branch, or parked where the branch is in use.
 *
 * @throws PressmarkError COMMIT_FAILED, and nothing was committed; COMMIT_UNCERTAIN where something was, which
 *   may not survive a power loss.
 */
export type CommitNow = (
  changes: readonly StoredChange[],
  options?: {
    /** Whether the texts are people's edits; those that they have staged are theirs to commit. @default false */
    readonly isEdit?: boolean;
  },
) => Promise<void>;

const ATTEMPTS = 3;

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
  async function commitOrPark(batch: readonly Waiting[]): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const { head, parked: areParked } = await committer.look();
      for (const change of batch) change.before ??= head.tip;
      if ('waitingFor' in head) return park(batch, head);
      // what was parked earlier comes first
      const held = (areParked ? await replay(head) : undefined) ?? (await committer.commit(batch, head));
      if (held === undefined) return head.ref;
      if (attempt === ATTEMPTS) return park(batch, held);
      await setTimeout(20 * attempt);
    }
  }

  async function park(batch: readonly Waiting[], why: NotNow): Promise<string> {
    await committer.park(batch, why);
    parked();
    return repository.parkedRef;
  }

  async function replay(head: Branch) {
    const held = await committer.replay(head);
    return held === 'lost' ? undefined : held;
  }

  return async (changes, { isEdit = false } = {}) => {
    const make = async ({ path, text, article }: StoredChange): Promise<Waiting> => {
      const kind = isEdit ? 'Edit' : kindOf(article);
      const event = eventOf(kind);
      const timestamp = article.updated ?? article.date;
      const message = committer.messageFor(kind, { event, article, path, text, timestamp });
      // saved anew meanwhile? then the update is made from what is there no more, and refused
      const blob = isEdit ? await blobAsItIs(repository, `${repository.prefix}${path}`, text) : undefined;
      const known = blob === undefined || blob === 'gone' ? {} : { blob };
      return { path, kind, text, ...known, revision: article.revision, message, before: undefined };
    };
    const kept: string[] = [];
    let batch: Waiting[];
    let ref: string;
    try {
      if (isEdit) for (const { path } of changes) kept.push((await replaced.keep(path)).name);
      batch = await Promise.all(changes.map(make));
      ref = await commitOrPark(batch);
    } catch (cause) {
      for (const name of kept) await replaced.drop(name); // the file still has it
      const message = 'the article could not be committed; nothing was changed, send it again';
      throw new PressmarkError('COMMIT_FAILED', message, { cause });
    }
    try {
      await Promise.all([repository.syncDirectories(ref), isEdit || requireCommitted(ref, batch)]);
      await replaced.settle(kept);
    } catch (cause) {
      if (cause instanceof PressmarkError && cause.code === 'COMMIT_UNCERTAIN') throw cause;
      const message = 'the commit may not be on the disk yet; send it again';
      throw new PressmarkError('COMMIT_UNCERTAIN', message, { cause });
    }
  };

  /** What git ignores, or what is in a repository of its own, was passed over. */
  async function requireCommitted(ref: string, batch: readonly Waiting[]): Promise<void> {
    if (ref === repository.parkedRef) return;
    const paths = batch.map(({ path }) => `${repository.prefix}${path}`);
    const there = await blobsAt(repository, ref, paths);
    const missing = paths.find((path) => !there.has(path));
    if (missing === undefined) return;
    throw new PressmarkError('COMMIT_UNCERTAIN', `${missing} is not committed; the log says why`);
  }
}
