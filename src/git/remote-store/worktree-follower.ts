import { moveRef } from '../commit/ref-update.js';
import { type FollowOptions, follow } from '../push/follow.js';
import { type PushStatusKeeper, wordsOf } from '../push/push-status.js';
import { laterMoveOfFetchedRef } from '../push/remote.js';
import { createRepeatedTask, type RepeatedTask } from '../push/repeated-task.js';

export interface WorktreeFollowerOptions extends Omit<FollowOptions, 'signal'> {
  readonly status: PushStatusKeeper;
  /** The last commit that the remote is known to have; null for none. */
  tip(): string | null;
  /** Returns a function that is called when a ref leads to the tip as it is now. */
  releaseLater(): () => Promise<void>;
}

/** How long changes gather before the work tree follows them, at least and at the most, in milliseconds. */
const GATHER_MS = { least: 500, most: 3_000 };
/** After how long it is tried again where a person or an error is in the way, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Brings the branch, the index and the work tree of this clone to what the remote has, some time after each request.
 * Deliveries that stream in come first.
 */
export function createWorktreeFollower({
  status,
  tip,
  releaseLater,
  ...options
}: WorktreeFollowerOptions): RepeatedTask {
  const { repository, locker, worktree, log } = options;

  async function attempt(): Promise<string | undefined> {
    const commit = tip();
    if (commit === null) return undefined;
    const releasePacks = releaseLater();
    const { signal } = task;
    try {
      const followed = await follow(commit, { ...options, signal });
      if (followed.kind === 'followed' || (await keepByFetchedRef(commit))) await releasePacks();
      if (followed.kind === 'waiting') return followed.waitingFor;
      await worktree.bases.settle(tip());
      return undefined;
    } catch (error) {
      return signal.aborted ? undefined : wordsOf(error);
    }
  }

  /** Where the branch cannot be moved. @returns whether a ref leads to the commit now. */
  async function keepByFetchedRef(commit: string): Promise<boolean> {
    const move = await laterMoveOfFetchedRef(repository, commit);
    return move === undefined || moveRef(repository, locker, move);
  }

  const task = createRepeatedTask({
    attempt,
    onChange: (reason) => {
      status.set({ waitingFor: reason ?? null });
      if (reason !== undefined) log.warn(`the work tree does not follow the remote; it waits for ${reason}`);
    },
    gatherMs: (tookMs) => Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, 3 * tookMs)),
    retryMs: () => AGAIN_MS,
  });
  return task;
}
