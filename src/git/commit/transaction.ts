import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import { FILE } from '../cli/tree.js';
import { type Branch, type NotNow, notNow, readHead } from './head.js';
import { type Identity, identityOf, type Person } from './identity.js';
import {
  type IndexEntry,
  type NextIndex,
  prepareIndex,
  setIndexEntries,
  stagedBlobs,
  type WantedEntry,
} from './index.js';
import { type IndexIntents, readIndexIntents, rollBackEntries } from './index-intents.js';
import type { IndexLock, IndexLocker } from './index-lock.js';
import { locksOf, moveRef } from './ref-update.js';
import { lockRelease } from './stuck-locks.js';
import { type CommitDraft, writeCommits } from './write-commits.js';

/** What commits are made with. */
export interface CommitContext {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly log: Log;
  readonly author?: Person;
  /** Whether people's edits are committed too. @default false */
  readonly commitEdits?: boolean;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
}

/** A draft, and whether it is of a person's text: they may have staged it, and be about to commit it. */
export interface BatchDraft extends CommitDraft {
  readonly isEdit: boolean;
}

/** What became of a batch. */
export type BatchResult<D extends BatchDraft> =
  | {
      readonly kind: 'committed';
      /** The branch. */
      readonly ref: string;
      readonly made: readonly { readonly draft: D; readonly commit: string }[];
      /** The edits that their owner has staged; they get no commit. */
      readonly staged: readonly D[];
    }
  | { readonly kind: 'not now'; readonly why: NotNow };

/** How often the drafts are made again because the branch has moved, before the batch is postponed. */
const MAX_ATTEMPTS = 10;
/** How often git may refuse to move a branch that has not moved; it waits for a tenth of a second each time. */
const MAX_REFUSALS = 3;

/**
 * Commits each draft by itself, in order, touching only its file: the commits are made first, then, with the index
 * locked, the index gets the entries and the branch moves, if it is still where it was. The index goes first: the other
 * way round, an owner's `git commit -a` in between would take the article out again.
 *
 * @param branch where the branch was a moment ago.
 * @param drafting makes the drafts upon a branch; called again where the branch has moved meanwhile, so that no older
 *   content is ever committed upon a newer one.
 * @returns when the branch is on the disk.
 * @throws PressmarkError GIT_FAILED; the branch has not moved then, but the index may hold entries of Pressmark.
 */
export async function commitBatch<D extends BatchDraft>(
  branch: Branch,
  drafting: (branch: Branch) => Promise<readonly D[]>,
  context: CommitContext,
): Promise<BatchResult<D>> {
  const result = await commitUnsynced(branch, drafting, context);
  // Before a file may be replaced or an answer be given: a power loss must not take the commits away.
  if (result.kind === 'committed') await context.repository.syncRef(result.ref);
  return result;
}

async function commitUnsynced<D extends BatchDraft>(
  branch: Branch,
  drafting: (branch: Branch) => Promise<readonly D[]>,
  context: CommitContext,
): Promise<BatchResult<D>> {
  const { repository, locker, log, signal } = context;
  const { gitDir, commonDir } = repository;
  let head = branch;
  const identity = await identityOf(repository.git, context.author);
  let lock: IndexLock | undefined;
  let next: NextIndex | undefined;
  let refusals = 0;
  /** The entries that were written into the index for commits that the branch does not have. */
  let written: readonly IndexEntry[] = [];
  const staged = new Map<string, D>();
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const drafts = (await drafting(head)).filter(({ isEdit, path }) => !isEdit || !staged.has(path));
      if (drafts.length === 0)
        return { kind: 'committed', ref: head.ref, made: [], staged: [...staged.values()] };
      next?.remove();
      const prepared = await prepare(context, head, drafts, identity);
      const { commits } = prepared;
      next = prepared.next;
      lock ??= await locker.take(signal);
      if (lock === undefined)
        return { kind: 'not now', why: notNow(lockRelease(join(gitDir, 'index.lock'), commonDir), head.tip) };
      const now = await readHead(repository);
      if (now.kind === 'not now') return { kind: 'not now', why: now };
      if (now.ref === head.ref && now.tip === head.tip) {
        const isCurrent = next.isCurrent();
        const inIndex = isCurrent ? next.staged : await stagedBlobs(repository, head.tip, pathsOf(drafts));
        // Where people's edits are committed, it must be known after a kill whose an entry is: Pressmark's or a person's.
        const needsIntents = context.commitEdits === true || drafts.some(({ isEdit }) => isEdit);
        const intents = needsIntents ? await readIndexIntents(repository) : undefined;
        const stagedByOwner = intents === undefined ? [] : stagedEdits(drafts, inIndex, intents);
        if (stagedByOwner.length > 0) {
          for (const draft of stagedByOwner) staged.set(draft.path, draft);
          continue;
        }
        const intended = drafts.map(entryOf);
        await intents?.add(intended);
        const found = [...inIndex]
          .map(([path, blob]) => ({ path, blob }))
          .filter((entry) => intents?.isIntended(entry));
        const wanted = entriesFor(drafts, [...intended, ...written, ...found]);
        const passedOver =
          isCurrent && inIndex.size === 0
            ? await next.use()
            : await setIndexEntries(repository, lock, inIndex, wanted);
        written = [...written, ...intended];
        if (await moveBranch(context, head, commits)) {
          await intents?.remove([...written, ...found]);
          // What an earlier attempt has written elsewhere is set back below.
          const paths = pathsOf(drafts);
          written = written.filter(({ path }) => !paths.has(path));
          for (const path of passedOver)
            log.warn(
              { path },
              'committed an article for which you have staged something else; that was left staged',
            );
          const made = drafts.flatMap((draft, index) => {
            const commit = commits[index];
            return commit === undefined ? [] : [{ draft, commit }];
          });
          return { kind: 'committed', ref: head.ref, made, staged: [...staged.values()] };
        }
      }
      const later = await readHead(repository);
      if (later.kind === 'not now') return { kind: 'not now', why: later };
      // Git refuses although the branch has not moved: another git command locks it for a moment, or a killed one for good.
      if (later.ref === head.ref && later.tip === head.tip) {
        refusals++;
        if (refusals >= MAX_REFUSALS) {
          const stuck = await locker.markStuck(locksOf(repository, head.ref));
          if (stuck !== undefined)
            return { kind: 'not now', why: notNow(lockRelease(stuck, commonDir), head.tip) };
        }
        await setTimeout(10 * refusals);
        if (refusals === 1) await locker.sweep();
      }
      head = later;
    }
  } finally {
    try {
      // The branch has moved without these entries.
      if (lock !== undefined && written.length > 0) await rollBackEntries(repository, lock, isAmong(written));
    } finally {
      await lock?.release();
      next?.remove();
    }
  }
  const waitingFor = `git to let ${head.ref.replace('refs/heads/', '')} be moved`;
  return { kind: 'not now', why: notNow(waitingFor, head.tip) };
}

/** Writes the commits, and beside that the index that goes with them: both take git a while, and nothing is locked yet. */
async function prepare(
  { repository, locker }: CommitContext,
  { tip }: Branch,
  drafts: readonly BatchDraft[],
  identity: Identity,
): Promise<{ readonly commits: readonly string[]; readonly next: NextIndex }> {
  const [commits, next] = await Promise.allSettled([
    writeCommits(repository, tip, drafts, identity),
    prepareIndex(repository, locker.newDraft(), tip, entriesOf(drafts)),
  ]);
  if (commits.status === 'fulfilled' && next.status === 'fulfilled')
    return { commits: commits.value, next: next.value };
  if (next.status === 'fulfilled') next.value.remove();
  throw commits.status === 'rejected' ? commits.reason : next.status === 'rejected' ? next.reason : undefined;
}

/** The edits of files of which the owner has staged a version, and is about to commit it. */
function stagedEdits<D extends BatchDraft>(
  drafts: readonly D[],
  inIndex: ReadonlyMap<string, string>,
  intents: IndexIntents,
): readonly D[] {
  // A receiver that was killed between the index and the branch has left one of these in the index.
  const delivered = new Set(
    drafts.filter(({ isEdit }) => !isEdit).map(({ path, blob }) => `${blob.id} ${path}`),
  );
  return drafts.filter(({ isEdit, path }) => {
    const blob = isEdit ? inIndex.get(path) : undefined;
    return blob !== undefined && !delivered.has(`${blob} ${path}`) && !intents.isIntended({ path, blob });
  });
}

/** The entries for the last of each file's drafts; whatever else of `ours` stands there may be replaced. */
function entriesFor(drafts: readonly BatchDraft[], ours: readonly IndexEntry[]): WantedEntry[] {
  return entriesOf(drafts).map((wanted) => {
    const known = ours.filter(({ path }) => path === wanted.path).map(({ blob }) => blob);
    return { ...wanted, known: new Set(known) };
  });
}

/** The last entry of each file. */
function entriesOf(drafts: readonly BatchDraft[]): IndexEntry[] {
  const last = new Map(drafts.map((draft) => [draft.path, entryOf(draft)]));
  return [...last.values()];
}

function pathsOf(drafts: readonly BatchDraft[]): ReadonlySet<string> {
  return new Set(drafts.map(({ path }) => path));
}

function isAmong(entries: readonly IndexEntry[]): (entry: IndexEntry) => boolean {
  return ({ path, blob }) => entries.some((entry) => entry.path === path && entry.blob === blob);
}

function entryOf({ path, blob, mode = FILE }: BatchDraft): IndexEntry {
  return { path, blob: blob.id, mode };
}

function moveBranch(
  { repository, locker, log }: CommitContext,
  { ref, tip }: Branch,
  commits: readonly string[],
): Promise<boolean> {
  const reason = `pressmark: ${commits.length === 1 ? 'an article' : `${commits.length} articles`}`;
  const move = { ref, to: commits.at(-1) ?? '', from: tip, reason, isOnDisk: true };
  return moveRef(repository, locker, log, move);
}
