import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Log } from '../log.js';
import { blobsOf } from './blobs.js';
import { type EditNotes, readEditNotes } from './edit-notes.js';
import { type Branch, type NotNow, readHead } from './head.js';
import { identityOf, type Person } from './identity.js';
import { type Authored, type CommitDraft, importCommits } from './import.js';
import { setIndexEntries, stagedBlobs } from './index-entry.js';
import type { IndexLock, IndexLocker } from './index-lock.js';
import { moveRef } from './ref-move.js';
import { blobId, type Repository } from './repository.js';
import { supersededCount } from './superseded.js';
import { blobsAt } from './tree.js';

/** A stored text that shall have its commit. */
export interface CommitRequest {
  /** From the top of the work tree. */
  readonly path: string;
  /** The file's whole text, or the blob that the repository has of it already. */
  readonly content: string | { readonly blob: string };
  /** The whole commit message. */
  readonly message: string;
  /**
   * What the branch was like about when the text was stored: the commit that HEAD was at (null before the
   * first), or the blob at the path (undefined where there was none).
   */
  readonly before: string | null | { readonly blob: string | undefined };
  /** Who wrote it and when, where that is neither Pressmark nor now. */
  readonly authored?: Authored;
  /** A person's text: it is left alone if they have staged it, as they are about to commit it then. */
  readonly isEdit?: boolean;
}

/** What became of a batch: the commit of each request, undefined where the branch had it already. */
export type BatchResult = { readonly commits: readonly (string | undefined)[] } | NotNow;

/** What a batch needs beside its requests. */
export interface CommitContext {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly log: Log;
  readonly author?: Person;
  /** Whether an answer waits for the commits. @default false */
  readonly urgent?: boolean;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
}

interface Draft extends CommitDraft {
  readonly request: CommitRequest;
}

const BUSY_INDEX =
  'the git index, which another program holds; if no git command is running, remove .git/index.lock';

/** How often a branch that moves under our hands is followed before the batch is put off. */
const MAX_ATTEMPTS = 10;

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
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const drafts = await stillWanted(repository, all, head);
      if (drafts.length === 0) return { commits: requests.map(() => undefined) };
      const commits = await importCommits(repository, head.tip, drafts, identity, {
        background: context.urgent !== true,
      });
      lock ??= await locker.take(signal);
      if (lock === undefined) return { waitingFor: BUSY_INDEX, tip: head.tip };
      const now = await readHead(repository);
      if ('waitingFor' in now) return now;
      if (now.ref === head.ref && now.tip === head.tip) {
        const staged = await stagedBlobs(repository, head.tip, new Set(drafts.map(({ path }) => path)));
        const edits = drafts.filter(({ request }) => request.isEdit);
        const notes = edits.length === 0 ? undefined : await readEditNotes(repository);
        const inHand = new Set(edits.filter(({ path }) => isInHand(path, staged.get(path), notes)));
        if (inHand.size > 0) {
          all = all.filter((draft) => !inHand.has(draft));
          continue;
        }
        const noted = edits.map(({ path, blob }) => ({ path, blob: blob.id }));
        await notes?.note(noted);
        const left = await setIndexEntries(repository, lock, staged, entriesFor(drafts, all));
        if (await moveBranch(context, head, commits)) {
          await notes?.forget(noted);
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
      if (next.tip === head.tip) await setTimeout(10 * (attempt + 1));
      if (next.tip === head.tip && attempt === 0) await locker.sweep();
      head = next;
    }
  } finally {
    await lock?.release();
  }
  const name = head.ref.replace('refs/heads/', '');
  const waitingFor = `git to let ${name} be moved; if no git command is running, remove .git/${head.ref}.lock`;
  return { waitingFor, tip: head.tip };
}

/** The drafts that the branch does not have yet. */
async function stillWanted(repository: Repository, all: readonly Draft[], { tip }: Branch): Promise<Draft[]> {
  const byPath = groupedByPath(all);
  const atTip = await blobsAt(repository, tip, byPath.keys());
  const earlier = new Map([[tip, Promise.resolve(atTip)]]);
  const blobsThen = (commit: string | null) => {
    const found = earlier.get(commit) ?? blobsAt(repository, commit, byPath.keys());
    earlier.set(commit, found);
    return found;
  };
  const wanted = new Set<Draft>();
  for (const [path, repeated] of byPath) {
    // the same text twice: the start-up check has come upon a delivery that was on its way
    const drafts = repeated.filter(({ blob }, index) => blob.id !== repeated[index + 1]?.blob.id);
    const before = drafts[0]?.request.before ?? null;
    const blobBefore = async () =>
      typeof before === 'object' && before !== null ? before.blob : (await blobsThen(before)).get(path);
    const superseded = await supersededCount(
      drafts.map(({ blob }) => blob.id),
      atTip.get(path),
      blobBefore,
      () => blobsOnDisk(repository, path),
    );
    for (const draft of drafts.slice(superseded)) wanted.add(draft);
  }
  return all.filter((draft) => wanted.has(draft));
}

function groupedByPath(drafts: readonly Draft[]): Map<string, Draft[]> {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const group = groups.get(draft.path);
    if (group === undefined) groups.set(draft.path, [draft]);
    else group.push(draft);
  }
  return groups;
}

/** What the file's content is called, as it stands and with its line ends as git may have them. */
async function blobsOnDisk(repository: Repository, path: string): Promise<ReadonlySet<string>> {
  try {
    const content = await readFile(join(repository.top, path));
    const withLf = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
    return new Set([blobId(repository, content), blobId(repository, withLf)]);
  } catch {
    // removed, or made unreadable: it is not what was delivered
    return new Set();
  }
}

/** Whether the owner has staged something at a path, and is about to commit it. */
function isInHand(path: string, staged: string | undefined, notes: EditNotes | undefined): boolean {
  return staged !== undefined && notes?.isNoted({ path, blob: staged }) !== true;
}

function entriesFor(drafts: readonly Draft[], all: readonly Draft[]) {
  const last = new Map(drafts.map(({ path, blob }) => [path, blob.id]));
  const known = groupedByPath(all);
  return [...last].map(([path, blob]) => ({
    path,
    blob,
    known: new Set(known.get(path)?.map((draft) => draft.blob.id)),
  }));
}

function moveBranch(
  { repository, locker, log }: CommitContext,
  { ref, tip }: Branch,
  commits: readonly string[],
): Promise<boolean> {
  const reason = `pressmark: ${commits.length === 1 ? 'an article' : `${commits.length} articles`}`;
  return moveRef(repository, locker, log, { ref, to: commits.at(-1) ?? '', from: tip, reason });
}
