import { PressmarkError } from '../../errors.js';
import { gitLog, type PathBlobs } from '../cli/history.js';
import { commitAt } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import type { NotNow } from './head.js';
import { identityOf } from './identity.js';
import { trailerValue } from './message.js';
import { moveRef } from './ref-update.js';
import type { CommitContext } from './transaction.js';
import { type Authored, type CommitDraft, writeCommits } from './write-commits.js';

/** A commit that is kept for later. */
export interface Parked {
  /** From the top of the work tree. */
  readonly path: string;
  readonly blob: string;
  /** The file's mode. */
  readonly mode: string;
  /** The message that the commit on the branch shall have. */
  readonly message: string;
  readonly authored: Authored;
  /** The blob that the branch, or an earlier parked commit, had at the path when this one was parked; undefined for none. */
  readonly over: string | undefined;
  /** The commit that HEAD was at then; null before the first. */
  readonly at: string | null;
  /** What had to end before the commit could be put on the branch. */
  readonly waitingFor: string;
}

const NONE = 'none';

/** How often parking is tried again because another receiver has moved the ref. */
const MAX_ATTEMPTS = 20;

/** The last parked commit; null where nothing is parked. */
export function parkedTip(repository: Repository): Promise<string | null> {
  return commitAt(repository, repository.parkedRef);
}

/** A commit to be parked, and what git has at its path below it. */
export interface ParkDraft extends CommitDraft {
  readonly before: string | undefined;
}

/**
 * Keeps commits under `refs/pressmark/parked`, in order, for `readParked` to find. They stand on no branch's commits, so
 * that nothing the owner rewrites or prunes is needed to read them; the ref keeps them from git's housekeeping.
 *
 * @param drafting makes the drafts upon the last parked commit; called again where others have parked something
 *   meanwhile.
 * @returns the drafts that were parked.
 * @throws PressmarkError GIT_FAILED; nothing has been parked then.
 */
export async function park<D extends ParkDraft>(
  { waitingFor, tip: head }: NotNow,
  drafting: (parked: string | null) => Promise<readonly D[]>,
  { repository, locker, author }: Pick<CommitContext, 'repository' | 'locker' | 'author'>,
): Promise<readonly D[]> {
  const { parkedRef: ref } = repository;
  const identity = await identityOf(repository.git, author);
  const packs = locker.keepPacks();
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const tip = await parkedTip(repository);
      const drafts = await drafting(tip);
      if (drafts.length === 0) return [];
      const parked = drafts.map((draft) => ({ ...draft, message: parkedMessage(draft, head, waitingFor) }));
      const commits = await writeCommits(repository, tip, parked, identity, packs);
      const move = { ref, to: commits.at(-1) ?? '', from: tip, isOnDisk: true };
      if (await moveRef(repository, locker, move)) return drafts;
      if (attempt === 0) await locker.sweep();
    }
  } finally {
    await packs.release();
  }
  throw new PressmarkError('GIT_FAILED', `${ref} could not be moved to the new commits`);
}

function parkedMessage({ message, before }: ParkDraft, head: string | null, waitingFor: string): string {
  return `${message}Parked-Over: ${before ?? NONE}\nParked-At: ${head ?? NONE}\nParked-For: ${trailerValue(waitingFor)}\n`;
}

/** The parked commits up to `tip`, oldest first. Commits that Pressmark did not make are left out. */
export async function readParked(repository: Repository, tip: string): Promise<Parked[]> {
  const parked: Parked[] = [];
  const commits = await gitLog(repository, ['an', 'ae', 'at', 'B'], '--reverse', '--topo-order', tip);
  for (const { fields, changes } of commits) {
    const [name = '', email = '', seconds = '', message = ''] = fields;
    const own = /\n(?:Parked-Over: .*\nParked-At: .*\nParked-For: .*\n*)$/.exec(message);
    const [change] = changes;
    if (own === null || !change?.after || changes.length !== 1) continue;
    parked.push({
      path: change.path,
      blob: change.after.id,
      mode: change.after.mode,
      message: message.slice(0, own.index + 1),
      authored: { name, email, seconds: Number(seconds) },
      over: valueIn(message, 'Over'),
      at: valueIn(message, 'At') ?? null,
      waitingFor: valueIn(message, 'For') ?? '',
    });
  }
  return parked;
}

function valueIn(message: string, key: string): string | undefined {
  const value = message.slice(message.lastIndexOf(`\nParked-${key}: `) + `\nParked-${key}: `.length);
  const line = value.split('\n', 1)[0] ?? '';
  return line === NONE ? undefined : line;
}

/**
 * Removes the ref of the parked commits, if it is still at `tip`.
 *
 * @returns false where it is at another commit by now.
 */
export function forgetParked(
  { repository, locker }: Pick<CommitContext, 'repository' | 'locker'>,
  tip: string,
): Promise<boolean> {
  return moveRef(repository, locker, { ref: repository.parkedRef, to: null, from: tip });
}

/** The parked commits, sorted by what is done with them, each list in their order. */
export interface SortedParked {
  /** Those that are to be put on the branch. */
  readonly wanted: readonly Parked[];
  /** Those that would undo something that was committed since. */
  readonly overtaken: readonly Parked[];
}

/**
 * Decides which parked commits are put on a branch. The branch's own text is never undone: a commit is wanted only if
 * the branch has the text that the commit was made upon.
 *
 * @param atTip the blobs that the branch has at the commits' paths.
 * @param committed the blobs that the branch has had since. A text among them is in the history already;
 *   the owner may have restored an older one.
 */
export function sortParked(
  parked: readonly Parked[],
  atTip: ReadonlyMap<string, string>,
  committed: PathBlobs,
): SortedParked {
  const current = new Map(atTip);
  const wanted: Parked[] = [];
  const overtaken: Parked[] = [];
  for (const one of parked) {
    const { path, blob, over } = one;
    if (blob === current.get(path) || committed.get(path)?.has(blob)) continue;
    if (over === current.get(path)) {
      wanted.push(one);
      current.set(path, blob);
    } else overtaken.push(one);
  }
  return { wanted, overtaken };
}
