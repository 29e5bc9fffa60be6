import { blobsInHistory, NO_BLOBS } from '../cli/history.js';
import { contentsOf } from '../cli/objects.js';
import { blobsAt } from '../cli/tree.js';
import { type Branch, type NotNow, notNow, readHead } from '../commit/head.js';
import type { BatchDraft } from '../commit/index-plan.js';
import { subjectIn } from '../commit/message.js';
import { forgetParked, type Parked, park, parkedTip, readParked, sortParked } from '../commit/parked.js';
import { locksOf } from '../commit/ref-update.js';
import { lockRelease } from '../commit/stuck-locks.js';
import { type CommitContext, commitBatch } from '../commit/transaction.js';
import type { CommitDraft } from '../commit/write-commits.js';
import type { Base, BatchEntry, Draft, Drafting } from './drafting.js';
import type { Outcome } from './pending-commit.js';

/** Where HEAD is, and whether commits are parked. */
export interface Position {
  readonly head: Branch | NotNow;
  /** Whether commits are parked. */
  readonly isParked: boolean;
}

/** The outcomes of a batch's entries, by path; an entry beyond the bound of a batch has none. */
export type BatchOutcome =
  | { readonly kind: 'done'; readonly outcomes: ReadonlyMap<string, Outcome> }
  | { readonly kind: 'not now'; readonly why: NotNow };

/** The result of putting the parked commits on the branch. */
export type Replayed =
  | { readonly kind: 'done' }
  | { readonly kind: 'not now'; readonly why: NotNow }
  /** The commits that this process has parked are gone: the articles' files must be compared with the branch. */
  | { readonly kind: 'lost' };

export interface CommitterOptions {
  readonly context: CommitContext;
  readonly drafting: Drafting;
  /** Called for each commit of an article; the path is relative to the site's folder. */
  readonly onCommitted: (made: { commit: string; path: string; subject: string }) => void;
  /** Whether a parked text that would undo something on the branch is the newest all the same: the file holds it. */
  readonly isNewest: (pathInRepository: string, blob: string) => Promise<boolean>;
  /** Called for each parked text that would undo something on the branch, and is not the newest. */
  readonly onOvertaken: (path: string, bytes: Buffer) => Promise<void>;
}

/** How many parked commits are put on the branch at a time. */
const REPLAY_CHUNK = 500;

const REFUSED = 'git to remove the ref of what was parked';

/** Turns pending commits into commits, on the branch or parked; see `createCommitter`. */
export type Committer = ReturnType<typeof createCommitter>;

/** The work of the commit queue on one repository. */
export function createCommitter(options: CommitterOptions) {
  const { context, drafting, onCommitted, isNewest, onOvertaken } = options;
  const { repository, locker, log } = context;
  /** Whether this process has parked something that it has not put on a branch yet. */
  let hasParked = false;

  async function readPosition(): Promise<Position> {
    const [head, parked, stuck] = await Promise.all([
      readHead(repository),
      parkedTip(repository),
      locker.stuckLock(),
    ]);
    const isStuck = stuck !== undefined && head.kind === 'branch';
    return {
      head: isStuck ? notNow(lockRelease(stuck, repository.commonDir), head.tip) : head,
      isParked: parked !== null || hasParked,
    };
  }

  /** Commits a batch in order. */
  async function commit(batch: readonly BatchEntry[], branch: Branch): Promise<BatchOutcome> {
    const began = performance.now();
    const { outcomes, draft } = draftsOf(batch);
    const result = await commitBatch(branch, ({ tip }) => draft({ tip }), context);
    if (result.kind === 'not now') return result;
    for (const { draft } of result.made)
      outcomes.set(draft.pending.path, { kind: 'committed', blob: draft.blob.id });
    for (const { pending } of result.staged)
      outcomes.set(pending.path, { kind: 'passed over', why: 'you have staged it' });
    report(result.made, began);
    for (const [path, outcome] of outcomes) {
      if (outcome.kind === 'present') log.debug({ path }, 'no commit: git has it');
      else if (outcome.kind === 'passed over') log.debug({ path }, `no commit: ${outcome.why}`);
    }
    return { kind: 'done', outcomes };
  }

  /** Drafts a batch as often as its base moves; the outcomes are those of the last time. */
  function draftsOf(batch: readonly BatchEntry[]) {
    const outcomes = new Map<string, Outcome>();
    const draft = async (base: Base): Promise<readonly Draft[]> => {
      const drafted = await drafting.draft(batch, base);
      outcomes.clear();
      for (const [path, outcome] of drafted.outcomes) outcomes.set(path, outcome);
      return drafted.drafts;
    };
    return { outcomes, draft };
  }

  function report(made: readonly { draft: CommitDraft & Partial<Draft>; commit: string }[], began: number) {
    for (const { draft, commit } of made) {
      // A parked commit may be of another site in this repository.
      const path = draft.pending?.path ?? inSite(draft.path);
      if (path !== undefined) onCommitted({ commit, path, subject: subjectIn(draft.message) });
    }
    if (made.length > 0)
      log.info({ commits: made.length, ms: Math.round(performance.now() - began) }, 'committed');
  }

  /** A path from the top of the work tree, as seen from the site's folder; undefined outside of that. */
  function inSite(path: string): string | undefined {
    const { prefix } = repository;
    return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
  }

  /** Parks a batch, durably. */
  async function parkBatch(batch: readonly BatchEntry[], why: NotNow): Promise<ReadonlyMap<string, Outcome>> {
    const { outcomes, draft } = draftsOf(batch);
    const parked = await park(why, (tip) => draft({ tip: why.tip, parked: tip }), context);
    await repository.syncRef(repository.parkedRef);
    for (const { pending, blob } of parked) outcomes.set(pending.path, { kind: 'parked', blob: blob.id });
    if (parked.length > 0) {
      hasParked = true;
      log.info({ commits: parked.length, ref: repository.parkedRef }, 'parked');
    }
    return outcomes;
  }

  /** Puts the parked commits on the branch. After a crash, commits that are there already are skipped. */
  async function replay(branch: Branch): Promise<Replayed> {
    for (;;) {
      const tip = await parkedTip(repository);
      if (tip === null) {
        const wasParked = hasParked;
        hasParked = false;
        return { kind: wasParked ? 'lost' : 'done' };
      }
      const parked = await readParked(repository, tip);
      const overtaken = new Set<Parked>();
      for (let start = 0; start < parked.length; start += REPLAY_CHUNK) {
        const chunk = parked.slice(start, start + REPLAY_CHUNK);
        const head = start === 0 ? branch : await readHead(repository);
        if (head.kind === 'not now') return { kind: 'not now', why: head };
        const result = await replayChunk(chunk, head);
        if (result.kind === 'not now') return result;
        for (const one of result.overtaken) overtaken.add(one);
      }
      await keepOvertaken([...overtaken]);
      if (!(await forgetParked(context, tip))) {
        // Somebody may have parked more meanwhile.
        if ((await parkedTip(repository)) !== tip) continue;
        const stuck = await locker.markStuck(locksOf(repository, repository.parkedRef, true));
        const waitingFor = stuck === undefined ? REFUSED : lockRelease(stuck, repository.commonDir);
        return { kind: 'not now', why: notNow(waitingFor, branch.tip) };
      }
      hasParked = false;
      log.info({ commits: parked.length }, 'what was parked is on the branch');
      return { kind: 'done' };
    }
  }

  async function replayChunk(chunk: readonly Parked[], branch: Branch) {
    const began = performance.now();
    const paths = [...new Set(chunk.map(({ path }) => path))];
    let overtaken: readonly Parked[] = [];
    const result = await commitBatch(
      branch,
      async ({ tip }) => {
        const atTip = await blobsAt(repository, tip, paths);
        const committed =
          tip === null ? NO_BLOBS : await blobsInHistory(repository, tip, paths, chunk[0]?.at ?? null);
        const sorted = sortParked(chunk, atTip, committed);
        const newest = await newestOf(sorted.overtaken);
        overtaken = sorted.overtaken.filter(
          (one) => !newest.some(({ path, blob }) => path === one.path && blob === one.blob),
        );
        return [...sorted.wanted, ...newest].map(draftOf);
      },
      context,
    );
    if (result.kind === 'not now') return result;
    report(result.made, began);
    return { kind: 'done' as const, overtaken };
  }

  /** Those that the articles' files hold. They are committed at once: the ref that has them is about to be removed. */
  async function newestOf(overtaken: readonly Parked[]): Promise<Parked[]> {
    const last = new Map(overtaken.map((one) => [one.path, one]));
    const newest: Parked[] = [];
    for (const one of last.values()) if (await isNewest(one.path, one.blob)) newest.push(one);
    return newest;
  }

  /** The texts that would undo something on the branch are kept before their ref is removed. */
  async function keepOvertaken(overtaken: readonly Parked[]): Promise<void> {
    const texts = await contentsOf(
      repository,
      overtaken.map(({ blob }) => blob),
    );
    for (const { path, blob } of overtaken) {
      const text = texts.get(blob);
      if (text !== undefined) await onOvertaken(inSite(path) ?? path, text);
    }
  }

  return { readPosition, commit, park: parkBatch, replay };
}

function draftOf({ blob, ...parked }: Parked): BatchDraft {
  return { ...parked, blob: { id: blob, content: undefined }, yieldsToStaged: false };
}
