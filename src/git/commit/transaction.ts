import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Draft, stillWanted } from '../pending/still-wanted.js';
import { blobsOf } from './blobs.js';
import type { BatchResult, CommitContext, CommitRequest } from './commit-request.js';
import { type Branch, readHead } from './head.js';
import { identityOf } from './identity.js';
import { importCommits } from './import.js';
import { setIndexEntries, stagedBlobs, type WantedEntry } from './index.js';
import { type IndexNotes, type NotedEntry, readIndexNotes } from './index-intents.js';
import type { IndexLock } from './index-lock.js';
import { takeBack } from './index-rollback.js';
import { locksOf, moveRef } from './ref-update.js';
import { letGoOf } from './stuck-locks.js';

/** How often a branch that moves under our hands is followed before the batch is put off. */
const MAX_ATTEMPTS = 10;
/** How often git may refuse to move a branch that has not moved; it waits for a tenth of a second each time. */
const MAX_REFUSALS = 3;

/**
 * Commits each request by itself, in order, touching only its file: the commits are made first, then, with
 * the index locked, the index gets the entries and the branch moves, if it is still where it was. The index
 * goes first: the other way round, an owner's `git commit -a` in between would take the article out again.
 *
 * @param branch where the branch was a moment ago.
 * @throws PressmarkError GIT_FAILED; nothing has moved then, at most entries of ours stand in the index.
 */
export async function commitBatch(
  requests: readonly CommitRequest[],
  branch: Branch,
  context: CommitContext,
): Promise<BatchResult> {
  const { repository, locker, log, signal } = context;
  const { gitDir, commonDir } = repository;
  let head = branch;
  const [blobs, identity] = await Promise.all([
    blobsOf(repository, requests),
    identityOf(repository.git, context.author),
  ]);
  let all = requests.flatMap((request, index): Draft[] => {
    const blob = blobs[index];
    return blob === undefined ? [] : [{ ...request, request, blob }];
  });
  let lock: IndexLock | undefined;
  let refusals = 0;
  /** What stands in the index for commits that the branch does not have. */
  let written: readonly NotedEntry[] = [];
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const drafts = await stillWanted(context, all, head);
      if (drafts.length === 0) return { commits: requests.map(() => undefined) };
      const commits = await importCommits(repository, head.tip, drafts, identity, {
        background: context.urgent !== true,
      });
      // Objects first: an index that is on the disk before them names what is not there after a power loss.
      await repository.syncDirectories(head.ref);
      lock ??= await locker.take(signal);
      if (lock === undefined)
        return { waitingFor: letGoOf(join(gitDir, 'index.lock'), commonDir), tip: head.tip };
      const now = await readHead(repository);
      if ('waitingFor' in now) return now;
      if (now.ref === head.ref && now.tip === head.tip) {
        const staged = await stagedBlobs(repository, head.tip, new Set(drafts.map(({ path }) => path)));
        // Where people's edits are committed, what is staged must be known for ours or theirs after a kill.
        const isNoted = context.commitEdits === true || drafts.some(({ request }) => request.isEdit);
        const notes = isNoted ? await readIndexNotes(repository) : undefined;
        const inHand = new Set(notes === undefined ? [] : editsInHand(drafts, staged, notes));
        if (inHand.size > 0) {
          all = all.filter((draft) => !inHand.has(draft));
          continue;
        }
        const noted = drafts.map(entryOf);
        await notes?.note(noted);
        // what a killed one has left there
        const found = [...staged]
          .map(([path, blob]) => ({ path, blob }))
          .filter((entry) => notes?.isNoted(entry));
        const wanted = entriesFor(drafts, [...all.map(entryOf), ...found]);
        const left = await setIndexEntries(repository, lock, staged, wanted);
        written = noted;
        if (await moveBranch(context, head, commits)) {
          written = [];
          await notes?.forget([...noted, ...found]);
          for (const { path, blob } of noted) context.lastCommitted.set(path, blob);
          for (const path of left)
            log.warn(
              { path },
              'committed an article for which you have staged something else; that was left staged',
            );
          const made = new Map(drafts.map(({ request }, index) => [request, commits[index]]));
          return { commits: requests.map((request) => made.get(request)) };
        }
      }
      const next = await readHead(repository);
      if ('waitingFor' in next) return next;
      // not moved, yet refused: another git command has the branch for a moment, or a killed one for good
      if (next.ref === head.ref && next.tip === head.tip) {
        refusals++;
        if (refusals >= MAX_REFUSALS) {
          const theirs = await locker.giveUpOn(locksOf(repository, head.ref));
          if (theirs !== undefined) return { waitingFor: letGoOf(theirs, commonDir), tip: head.tip };
        }
        await setTimeout(10 * refusals);
        if (refusals === 1) await locker.sweep();
      }
      head = next;
    }
  } finally {
    try {
      // the branch has gone on without them
      if (lock !== undefined && written.length > 0) await takeBack(repository, lock, isAmong(written));
    } finally {
      await lock?.release();
    }
  }
  return { waitingFor: `git to let ${head.ref.replace('refs/heads/', '')} be moved`, tip: head.tip };
}

/** The edits at whose paths the owner has staged something, and is about to commit it. */
function editsInHand(
  drafts: readonly Draft[],
  staged: ReadonlyMap<string, string>,
  notes: IndexNotes,
): readonly Draft[] {
  // one of these stands in the index where a Pressmark was killed before its branch moved
  const delivered = new Set(
    drafts.filter(({ request }) => !request.isEdit).map(({ path, blob }) => `${blob.id} ${path}`),
  );
  return drafts.filter(({ request, path }) => {
    const blob = request.isEdit ? staged.get(path) : undefined;
    return blob !== undefined && !delivered.has(`${blob} ${path}`) && !notes.isNoted({ path, blob });
  });
}

/** The entries for the last of each file's drafts; whatever else of `ours` stands there may be replaced. */
function entriesFor(drafts: readonly Draft[], ours: readonly NotedEntry[]): WantedEntry[] {
  const last = new Map(drafts.map(({ path, blob }) => [path, blob.id]));
  return [...last].map(([path, blob]) => {
    const known = ours.filter((entry) => entry.path === path).map((entry) => entry.blob);
    return { path, blob, known: new Set(known) };
  });
}

function isAmong(entries: readonly NotedEntry[]): (entry: NotedEntry) => boolean {
  return ({ path, blob }) => entries.some((entry) => entry.path === path && entry.blob === blob);
}

function entryOf({ path, blob }: Draft): NotedEntry {
  return { path, blob: blob.id };
}

function moveBranch(
  { repository, locker, log }: CommitContext,
  { ref, tip }: Branch,
  commits: readonly string[],
): Promise<boolean> {
  const reason = `pressmark: ${commits.length === 1 ? 'an article' : `${commits.length} articles`}`;
  return moveRef(repository, locker, log, { ref, to: commits.at(-1) ?? '', from: tip, reason });
}
