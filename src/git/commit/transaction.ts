import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../log.js';
import type { KeptPacks } from '../cli/kept-packs.js';
import { commitAt } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import { type Branch, type NotNow, notNow, readHead } from './head.js';
import { type Identity, identityOf, type Person } from './identity.js';
import { type IndexEntry, type NextIndex, prepareIndex, stagedBlobs, writeEntries } from './index.js';
import { type IntentRecord, readIndexIntents, recordIntents, rollBackEntries } from './index-intents.js';
import type { IndexLock, IndexLocker } from './index-lock.js';
import { type BatchDraft, entriesOf, planIndex } from './index-plan.js';
import { locksOf, moveRef } from './ref-update.js';
import { lockRelease } from './stuck-locks.js';
import { writeCommits } from './write-commits.js';

/** What commits are made with. */
export interface CommitContext {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly log: Log;
  readonly author?: Person;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
}

/** What became of a batch. */
export type BatchResult<D extends BatchDraft> =
  | {
      readonly kind: 'committed';
      /** The branch. */
      readonly ref: string;
      readonly made: readonly { readonly draft: D; readonly commit: string }[];
      /** The drafts that yield to what the owner has staged; they get no commit. */
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
  const { repository, locker, log, signal } = context;
  const { gitDir, commonDir } = repository;
  let head = branch;
  const identity = await identityOf(repository.git, context.author);
  const packs = locker.keepPacks();
  const intents = recordIntents(locker.newIntents());
  let lock: IndexLock | undefined;
  let next: NextIndex | undefined;
  let refusals = 0;
  /** The entries that were written into the index for commits that the branch does not have. */
  let written: readonly IndexEntry[] = [];
  const isWritten = ({ path, blob }: IndexEntry) =>
    written.some((entry) => entry.path === path && entry.blob === blob);
  const staged = new Map<string, D>();
  /** The branch, where it has the commits. */
  let moved: string | undefined;
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const drafts = (await drafting(head)).filter(
        ({ yieldsToStaged, path }) => !yieldsToStaged || !staged.has(path),
      );
      if (drafts.length === 0) {
        moved = head.ref;
        return { kind: 'committed', ref: head.ref, made: [], staged: [...staged.values()] };
      }
      next?.remove();
      const prepared = await prepare(context, head, drafts, identity, packs, intents);
      const { commits } = prepared;
      next = prepared.next;
      lock ??= await locker.take(signal);
      if (lock === undefined)
        return { kind: 'not now', why: notNow(lockRelease(join(gitDir, 'index.lock'), commonDir), head.tip) };
      const now = await readHead(repository);
      if (now.kind === 'not now') return { kind: 'not now', why: now };
      if (now.ref === head.ref && now.tip === head.tip) {
        const isCurrent = next.isCurrent();
        const paths = new Set(drafts.map(({ path }) => path));
        const inIndex = isCurrent ? next.staged : await stagedBlobs(repository, head.tip, paths);
        const others = await readIndexIntents(repository, (file) => file !== intents.file);
        const isIntended = (entry: IndexEntry) => isWritten(entry) || others.isIntended(entry);
        const plan = planIndex(drafts, inIndex, isIntended);
        if (plan.staged.length > 0) {
          for (const draft of plan.staged) staged.set(draft.path, draft);
          continue;
        }
        written = [...written, ...plan.entries];
        if (isCurrent && inIndex.size === 0) await next.use();
        else await writeEntries(repository, lock, plan.entries);
        if (await moveBranch(context, head, commits)) {
          // What an earlier attempt has written elsewhere is set back below.
          written = written.filter(({ path }) => !paths.has(path));
          moved = head.ref;
          for (const path of plan.passedOver)
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
      // The branch does not have these entries. Nobody else has written any, as the index has been locked since: they are
      // set back also where the owner has begun a merge meanwhile, whose abort would remove the articles' files with them.
      if (lock !== undefined && written.length > 0)
        await rollBackEntries(repository, lock, await commitAt(repository, 'HEAD'), isWritten);
    } finally {
      await lock?.release();
      next?.remove();
      await packs.release();
    }
    // Before a file may be replaced or an answer be given: a power loss must not take the commits away.
    if (moved !== undefined) await repository.syncRef(moved);
    await intents.remove();
  }
  const waitingFor = `git to let ${head.ref.replace('refs/heads/', '')} be moved`;
  return { kind: 'not now', why: notNow(waitingFor, head.tip) };
}

/**
 * Writes the commits and, at the same time, the index that goes with them and the record of its entries: all of it takes
 * a while, and nothing is locked yet.
 */
async function prepare(
  { repository, locker }: CommitContext,
  { tip }: Branch,
  drafts: readonly BatchDraft[],
  identity: Identity,
  packs: KeptPacks,
  intents: IntentRecord,
): Promise<{ readonly commits: readonly string[]; readonly next: NextIndex }> {
  const entries = entriesOf(drafts);
  // The token first: a record without one is that of a dead receiver.
  await locker.announce();
  const [commits, next, recorded] = await Promise.allSettled([
    writeCommits(repository, tip, drafts, identity, packs),
    prepareIndex(repository, locker.nextIndex(), tip, entries),
    intents.add(entries),
  ]);
  if (commits.status === 'fulfilled' && next.status === 'fulfilled' && recorded.status === 'fulfilled')
    return { commits: commits.value, next: next.value };
  if (next.status === 'fulfilled') next.value.remove();
  throw [commits, next, recorded].find((one) => one.status === 'rejected')?.reason;
}

function moveBranch(
  { repository, locker }: CommitContext,
  { ref, tip }: Branch,
  commits: readonly string[],
): Promise<boolean> {
  const reason = `pressmark: ${commits.length === 1 ? 'an article' : `${commits.length} articles`}`;
  const move = { ref, to: commits.at(-1) ?? '', from: tip, reason, isOnDisk: true };
  return moveRef(repository, locker, move);
}
