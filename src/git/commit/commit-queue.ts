import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { backoff, createRepeatedTask } from '../../repeated-task.js';
import { within } from '../../time-limit.js';

/** Why an article's file waits for a commit; later values take precedence. */
export type Why =
  /** Git may lack the file's content. */
  | 'found'
  /** The store has written it. */
  | 'stored'
  /** A person has changed the file, and then left it unchanged for a while. */
  | 'edited'
  /** An update is about to replace its content. */
  | 'replaced'
  /** A person has removed it in the admin, or restored it. */
  | 'trash';

/** An article's file that git may lack. Its present content is read when the commit is made. */
export interface Pending {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly why: Why;
  /** Whether the file is also here because the store has written it; a person may have changed it since. */
  readonly isDelivered: boolean;
  /** The text that the store has written; undefined if too many files wait to keep each text in memory. */
  readonly text?: string | undefined;
}

/** The result of an attempt to commit a file. */
export type CommitOutcome =
  /** A commit has the file's content; none if the file is removed. */
  | { readonly kind: 'committed'; readonly content?: Buffer }
  /** The commit must wait for something else to end. */
  | { readonly kind: 'later'; readonly because: string }
  /** It is for the owner to commit: a person's edit or rename, or a file that is not a readable article. */
  | LeftToOwner
  /** Git refuses the file, or it cannot be read. */
  | { readonly kind: 'failed'; readonly because: string };

/** A file that the owner has to commit, and the reason. */
export interface LeftToOwner {
  readonly kind: 'left to owner';
  readonly because: string;
}

/** The queue of commits; see `createCommitQueue`. */
export type CommitQueue = ReturnType<typeof createCommitQueue>;

/** Commits a batch. A file without an outcome waits for the next batch. */
export type CommitBatch = (batch: readonly Pending[]) => Promise<ReadonlyMap<string, CommitOutcome>>;

/** A caller that waits for a file's commit. */
interface Waiter {
  resolve(outcome: CommitOutcome): void;
  /** Whether its time limit has passed. */
  isLate: boolean;
}

/** A file in the queue, and the callers that wait for its commit. */
interface QueuedFile extends Pending {
  readonly waiters: readonly Waiter[];
}

/** Whether commits work. `createRepeatedTask` schedules the next attempt. */
type State =
  /** Commits work; the next batch has at most `most` files. */
  | { readonly kind: 'working'; readonly most: number }
  /** Something else must end first, such as the owner's rebase. */
  | { readonly kind: 'deferred'; readonly because: string }
  /** Git has failed for a single file; now each file is tried alone. */
  | { readonly kind: 'failing'; readonly because: string };

/** How many commits one batch may have. */
const MAX_BATCH = 200;
/** How long deliveries are collected for one batch, in milliseconds. */
const GATHER_MS = 200;
/** The pauses while git fails, in milliseconds; `awaited` applies while a caller waits. */
const FAILING_MS = { first: 500, longest: 30_000, awaited: 200 };
/** The pauses while commits are deferred, in milliseconds; a person's command ends that. */
const DEFERRED_MS = { first: 500, longest: 5_000 };

const RANK: readonly Why[] = ['found', 'stored', 'edited', 'replaced', 'trash'];

/**
 * Commits in the background, one batch at a time, in the order of arrival; files that a caller waits for come first. After a
 * failed batch, its first file is tried alone, and batches grow again with each success, so that one bad file does not hold up
 * the others.
 *
 * @param onFailed is called with a file that got no commit, unless the last call had the same reason and nothing was committed
 *   since.
 */
export function createCommitQueue(
  commit: CommitBatch,
  onFailed: (path: string, reason: string) => void,
  log: Log,
) {
  const pending = new Map<string, QueuedFile>();
  let state: State = { kind: 'working', most: MAX_BATCH };
  /** The last reason that was reported since the last commit. */
  let reported: string | undefined;

  const task = createRepeatedTask({
    attempt: async () => {
      const now = await commitNext();
      return now.kind === 'working' ? undefined : now.because;
    },
    onChange: (reason) => {
      if (reason === undefined) log.info('commits work again');
    },
    gatherMs: () => (pending.size >= MAX_BATCH || isAwaited() ? 0 : GATHER_MS),
    retryMs: (failures) => {
      if (state.kind === 'deferred') return backoff(failures, DEFERRED_MS);
      return isAwaited() ? FAILING_MS.awaited : backoff(failures, FAILING_MS);
    },
  });

  /**
   * Adds an article's file. A file that is in the queue already still gets one commit.
   *
   * @param text the text that the store has written.
   */
  function add(path: string, why: Why, text?: string): void {
    put(queued(path, why, [], text));
    task.request();
  }

  /**
   * Adds an article's file, and commits it without a pause.
   *
   * @param limitMs how long to wait, in milliseconds. After that, the file stays in the queue.
   * @param text the text that the store has written.
   */
  function commitNow(path: string, why: Why, limitMs: number, text?: string): Promise<CommitOutcome> {
    const waiter: Waiter = { resolve: () => undefined, isLate: false };
    const committed = new Promise<CommitOutcome>((resolve) => Object.assign(waiter, { resolve }));
    put(queued(path, why, [waiter], text));
    task.request({ atOnce: true });
    return within(limitMs, committed, () => {
      waiter.isLate = true;
      // A failure of git for another file is not this file's reason.
      const because = state.kind === 'deferred' ? state.because : `git took longer than ${limitMs / 1_000} s`;
      return { kind: 'later', because };
    });
  }

  function queued(path: string, why: Why, waiters: readonly Waiter[], text?: string): QueuedFile {
    const kept = pending.size < MAX_BATCH ? text : undefined;
    return { path, why, isDelivered: why === 'stored', text: kept, waiters };
  }

  /** Adds a file, or merges it with its entry. */
  function put(file: QueuedFile): void {
    const known = pending.get(file.path);
    pending.set(file.path, known === undefined ? file : merged(known, file));
  }

  /** Puts files back in front of the others. What was added for them in the meantime came later. */
  function putFirst(files: readonly QueuedFile[]): void {
    const others = [...pending.values()];
    pending.clear();
    for (const file of [...files, ...others]) put(file);
  }

  /** Puts a file back behind the others. */
  function putLast(file: QueuedFile): void {
    const known = pending.get(file.path);
    pending.delete(file.path);
    pending.set(file.path, known === undefined ? file : merged(file, known));
  }

  function isAwaited(files: Iterable<QueuedFile> = pending.values()): boolean {
    return [...files].some(({ waiters }) => waiters.some(({ isLate }) => !isLate));
  }

  /** Commits one batch. @returns the new state. */
  async function commitNext(): Promise<State> {
    if (pending.size === 0) return { kind: 'working', most: MAX_BATCH };
    const entries = [...pending.values()];
    const awaitedFirst = new Set([...entries.filter((one) => isAwaited([one])), ...entries]);
    const most = mostIn(state);
    const batch = [...awaitedFirst].slice(0, most);
    for (const { path } of batch) pending.delete(path);
    state = await commitBatch(batch, most);
    if (pending.size > 0) task.request();
    return state;
  }

  /** Commits files; if several fail together, only the first of them. @param most the size limit of this batch. */
  async function commitBatch(batch: readonly QueuedFile[], most: number): Promise<State> {
    try {
      const because = settle(batch, await commit(batch));
      if (because === undefined) return { kind: 'working', most: Math.min(MAX_BATCH, most * 4) };
      if (state.kind === 'working' || because !== state.because) log.warn({ waiting: pending.size }, because);
      return { kind: 'deferred', because };
    } catch (error) {
      const [first, ...others] = batch;
      if (first === undefined) throw error;
      if (others.length > 0) {
        putFirst(others);
        return commitBatch([first], 1);
      }
      const because = messageOf(error);
      if (state.kind === 'working' || because !== state.because)
        log.error(
          { err: error, path: first.path, waiting: pending.size + 1 },
          'not committed; tried again later',
        );
      settleOne(first, { kind: 'later', because });
      putLast({ ...first, waiters: [] });
      return { kind: 'failing', because };
    }
  }

  /** @returns why commits are deferred; undefined if they are not. */
  function settle(
    batch: readonly QueuedFile[],
    outcomes: ReadonlyMap<string, CommitOutcome>,
  ): string | undefined {
    if ([...outcomes.values()].some(({ kind }) => kind === 'committed')) reported = undefined;
    let because: string | undefined;
    const remaining: QueuedFile[] = [];
    for (const file of batch) {
      const outcome = outcomes.get(file.path);
      if (outcome === undefined) remaining.push(file);
      else settleOne(file, outcome);
      if (outcome?.kind !== 'later') continue;
      ({ because } = outcome);
      remaining.push({ ...file, waiters: [] });
    }
    putFirst(remaining);
    return because;
  }

  function settleOne({ path, isDelivered, waiters }: QueuedFile, outcome: CommitOutcome): void {
    // An edit or a rename may be left to the owner. A delivered text must get a commit, so that without one it has failed.
    if (outcome.kind !== 'committed' && (outcome.kind !== 'left to owner' || isDelivered)) {
      if (outcome.because !== reported) onFailed(path, outcome.because);
      reported = outcome.because;
    }
    for (const { resolve } of waiters) resolve(outcome);
  }

  /** Commits the pending files without pauses, and tries each at least once. @returns the number of remaining files. */
  async function close(): Promise<number> {
    await task.close();
    for (let failures = 0; failures < pending.size; ) {
      const { kind } = await commitNext();
      if (kind === 'deferred') break;
      failures = kind === 'failing' ? failures + 1 : 0;
    }
    for (const { waiters } of pending.values())
      for (const { resolve } of waiters)
        resolve({ kind: 'later', because: 'the next start of the receiver' });
    return pending.size;
  }

  return { add, commitNow, close };
}

/** The size limit of the next batch. */
function mostIn(state: State): number {
  if (state.kind === 'working') return state.most;
  return state.kind === 'failing' ? 1 : MAX_BATCH;
}

/** Merges two entries of one file, in the order of their arrival. */
function merged(earlier: QueuedFile, later: QueuedFile): QueuedFile {
  const waiters = [...earlier.waiters, ...later.waiters];
  // The text that the earlier reason was about has been replaced by the store.
  if (later.isDelivered) return { ...later, waiters };
  const { why } = RANK.indexOf(later.why) > RANK.indexOf(earlier.why) ? later : earlier;
  return { ...earlier, why, waiters };
}
