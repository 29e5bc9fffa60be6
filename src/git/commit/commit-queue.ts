import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { backoff } from '../repeated-task.js';

/** Why an article's file waits for a commit; a later word is worth more. */
export type Why =
  /** Git may lack what the file holds. */
  | 'found'
  /** A person has changed the file, and not again for a while. */
  | 'edited'
  /** The store has written it. */
  | 'stored'
  /** An update is about to replace what it holds. */
  | 'replaced'
  /** A person has removed it in the admin, or restored it. */
  | 'removed';

/** An article's file that git may lack. What is committed is what the file holds then. */
export interface Pending {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly why: Why;
}

/** The result of an attempt to commit a file. */
export type Outcome =
  /** Git has what the file holds in a commit. */
  | { readonly kind: 'committed' }
  /** A commit can be made when something else has ended. */
  | { readonly kind: 'later'; readonly because: string }
  /** No commit is to be made while nothing changes. */
  | {
      readonly kind: 'failed';
      readonly because: string;
      /** Whether it is for the owner to commit. */
      readonly isOwners?: true;
    };

/** The queue of commits; see `createCommitQueue`. */
export type CommitQueue = ReturnType<typeof createCommitQueue>;

/** Commits a batch. A file without an outcome waits for the next batch. */
export type CommitBatch = (batch: readonly Pending[]) => Promise<ReadonlyMap<string, Outcome>>;

/** What the queue is doing. */
type State =
  | { readonly kind: 'idle' }
  /** A burst of deliveries passes, so that the batch grows. */
  | { readonly kind: 'gathering' }
  | { readonly kind: 'committing' }
  /** Something is in the way of all commits; they are tried again after a pause. */
  | { readonly kind: 'waiting'; readonly for: Obstacle; readonly attempts: number };

type Waiter = (outcome: Outcome) => void;

/** A file that waits, and those who wait for its commit. */
interface QueuedFile extends Pending {
  readonly waiters: readonly Waiter[];
}

/** What an attempt led to. */
type Attempt =
  /** At least one file has its outcome. */
  | { readonly kind: 'done' }
  /** The batch is tried again, file by file. */
  | { readonly kind: 'divided' }
  | Obstacle;

/** What is in the way of a commit: git has failed, or there is no branch to commit to now. */
interface Obstacle {
  readonly kind: 'failure' | 'later';
  readonly because: string;
}

/** How many commits one batch may have. */
const MAX_BATCH = 200;
/** A batch begins when nothing has come for so long, or when the first has waited for so long, in milliseconds. */
const GATHER_MS = { quiet: 100, longest: 300 };
/** The pauses after failures, in milliseconds; while somebody waits, the last one. */
const PAUSE_MS = { first: 500, longest: 30_000, awaited: 200 };
/** The pauses while HEAD is on no branch, in milliseconds: what ends that is a person's command. */
const LATER_MS = { first: 500, longest: 5_000 };

const IDLE: State = { kind: 'idle' };
const RANK: readonly Why[] = ['found', 'edited', 'stored', 'replaced', 'removed'];

/**
 * Commits in the background, one batch at a time, in the order of arrival; files that somebody waits for come first. A batch
 * that fails is tried again file by file, so that one bad file does not hold up the others.
 *
 * @param onFailed receives a file that gets no commit, once for each reason until there is a commit.
 */
export function createCommitQueue(
  commit: CommitBatch,
  onFailed: (path: string, reason: string) => void,
  log: Log,
) {
  const pending = new Map<string, QueuedFile>();
  /** Those whose time was up. */
  const timedOut = new WeakSet<Waiter>();
  const closing = new AbortController();
  let state: State = IDLE;
  let limit = MAX_BATCH;
  let reported: string | undefined;
  let wake = new AbortController();
  let running: Promise<void> | undefined;
  let firstAt = 0;
  let lastAt = 0;

  /** Adds an article's file. A file that is in the queue already gets one commit, of what it holds then. */
  function add(path: string, why: Why): void {
    arrive({ path, why, waiters: [] });
    start();
  }

  /**
   * Adds an article's file, and has it committed without a pause.
   *
   * @param limitMs how long to wait, in milliseconds. The file stays in the queue afterwards.
   */
  async function commitNow(path: string, why: Why, limitMs: number): Promise<Outcome> {
    const served = new AbortController();
    const committed = new Promise<Outcome>((resolve) => {
      arrive({ path, why, waiters: [resolve] });
      void wait(limitMs, served.signal).then(() => {
        timedOut.add(resolve);
        resolve({ kind: 'later', because: whyNotInTime(limitMs) });
      });
    });
    start();
    wake.abort();
    const outcome = await committed;
    served.abort();
    return outcome;
  }

  /** What is in the way of all commits; that git has failed for another file alone is not this one's reason. */
  function whyNotInTime(limitMs: number): string {
    if (state.kind === 'waiting' && state.for.kind === 'later') return state.for.because;
    return `git took longer than ${limitMs / 1_000} s`;
  }

  function arrive(entry: QueuedFile): void {
    lastAt = performance.now();
    if (pending.size === 0) firstAt = lastAt;
    pending.set(entry.path, joined(pending.get(entry.path), entry));
  }

  function start(): void {
    running ??= run();
  }

  async function run(): Promise<void> {
    let fruitless = 0;
    while (pending.size > 0) {
      await gather();
      const result = await attempt(nextBatch());
      if (result.kind === 'done') {
        if (state.kind === 'waiting') log.info('commits work again');
        state = IDLE;
        fruitless = 0;
      } else if (result.kind !== 'divided') {
        fruitless++;
        // At the stop, each file has its turn.
        if (closing.signal.aborted && (result.kind === 'later' || fruitless >= pending.size)) break;
        await pause(result);
      }
    }
    running = undefined;
  }

  /** Waits until a burst of deliveries has passed, or somebody waits for a commit. */
  async function gather(): Promise<void> {
    if (state.kind === 'idle') state = { kind: 'gathering' };
    for (;;) {
      const isReady =
        pending.size >= MAX_BATCH || [...pending.values()].some(isAwaited) || closing.signal.aborted;
      const restMs = Math.min(lastAt + GATHER_MS.quiet, firstAt + GATHER_MS.longest) - performance.now();
      if (isReady || restMs <= 0) return;
      await rest(restMs);
    }
  }

  function isAwaited({ waiters }: QueuedFile): boolean {
    return waiters.some((waiter) => !timedOut.has(waiter));
  }

  function nextBatch(): QueuedFile[] {
    const entries = [...pending.values()];
    const batch = [...new Set([...entries.filter(isAwaited), ...entries])].slice(0, limit);
    for (const { path } of batch) pending.delete(path);
    firstAt = performance.now();
    return batch;
  }

  async function attempt(batch: readonly QueuedFile[]): Promise<Attempt> {
    if (state.kind !== 'waiting') state = { kind: 'committing' };
    let outcomes: ReadonlyMap<string, Outcome>;
    try {
      outcomes = await commit(batch);
    } catch (error) {
      const [alone, ...others] = batch;
      if (alone === undefined || others.length > 0) {
        putBack(batch, 'first');
        limit = 1;
        return { kind: 'divided' };
      }
      const because = messageOf(error);
      putBack([{ ...alone, waiters: [] }], 'last');
      for (const waiter of alone.waiters) waiter({ kind: 'later', because });
      report(alone.path, because);
      if (isNew(because))
        log.error(
          { err: error, path: alone.path, waiting: pending.size },
          'not committed; tried again later',
        );
      return { kind: 'failure', because };
    }
    limit = Math.min(MAX_BATCH, limit * 4);
    return settle(batch, outcomes);
  }

  function settle(batch: readonly QueuedFile[], outcomes: ReadonlyMap<string, Outcome>): Attempt {
    putBack(
      batch.filter(({ path }) => !outcomes.has(path)),
      'first',
    );
    let because: string | undefined;
    if ([...outcomes.values()].some(({ kind }) => kind === 'committed')) reported = undefined;
    for (const entry of batch) {
      const outcome = outcomes.get(entry.path);
      if (outcome === undefined) continue;
      if (outcome.kind !== 'committed' && !isLeftToOwner(entry, outcome)) report(entry.path, outcome.because);
      if (outcome.kind === 'later') {
        because = outcome.because;
        putBack([{ ...entry, waiters: [] }], 'last');
      }
      for (const waiter of entry.waiters) waiter(outcome);
    }
    if (because === undefined) return { kind: 'done' };
    if (isNew(because)) log.warn({ waiting: pending.size }, because);
    return { kind: 'later', because };
  }

  function report(path: string, reason: string): void {
    if (reason !== reported) onFailed(path, reason);
    reported = reason;
  }

  function isNew(because: string): boolean {
    return state.kind !== 'waiting' || state.for.because !== because;
  }

  /** A file that has come again since is in the queue already. */
  function putBack(entries: readonly QueuedFile[], where: 'first' | 'last'): void {
    const others = where === 'first' ? [...pending.values()] : [];
    if (where === 'first') pending.clear();
    for (const entry of [...entries, ...others])
      pending.set(entry.path, joined(pending.get(entry.path), entry));
  }

  async function pause(obstacle: Obstacle): Promise<void> {
    const { kind } = obstacle;
    const attempts = state.kind === 'waiting' ? state.attempts + 1 : 1;
    state = { kind: 'waiting', for: obstacle, attempts };
    const isSoon = kind === 'failure' && [...pending.values()].some(isAwaited);
    await rest(isSoon ? PAUSE_MS.awaited : backoff(attempts, kind === 'failure' ? PAUSE_MS : LATER_MS));
  }

  async function rest(ms: number): Promise<void> {
    wake = new AbortController();
    await wait(ms, AbortSignal.any([closing.signal, wake.signal]));
  }

  /** Commits what is pending without further pauses. @returns how many files are left. */
  async function close(): Promise<number> {
    closing.abort();
    if (pending.size > 0) start();
    await running;
    for (const { waiters } of pending.values())
      for (const waiter of waiters) waiter({ kind: 'later', because: 'the next start of the receiver' });
    return pending.size;
  }

  return {
    add,
    commitNow,
    close,
  };
}

/** A file that comes again gets one commit, for the weightier reason. */
function joined(known: QueuedFile | undefined, entry: QueuedFile): QueuedFile {
  if (known === undefined) return entry;
  const why = RANK.indexOf(entry.why) > RANK.indexOf(known.why) ? entry.why : known.why;
  return { path: entry.path, why, waiters: [...known.waiters, ...entry.waiters] };
}

/** Returns early where the signal comes. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Whether nothing was delivered, and the file is a person's edit or rename: that it has no commit is no failure. */
function isLeftToOwner({ why }: QueuedFile, outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.isOwners === true && why !== 'stored';
}
