import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../log.js';
import { type FollowOptions, follow } from '../push/follow.js';
import { type PushStatusKeeper, wordsOf } from '../push/push-status.js';
import { settleStale } from '../push/stale-edits.js';

export interface WorktreeFollowerOptions extends Omit<FollowOptions, 'signal'> {
  readonly status: PushStatusKeeper;
  readonly log: Log;
  /** The last commit that the remote is known to have; null for none. */
  tip(): string | null;
  /** Moves `FETCHED_REF`, where the branch cannot. */
  moveFetchedRef(commit: string): Promise<unknown>;
  /** Receives the files that have changed, from the top of the work tree. */
  onFiles(paths: readonly string[]): void;
}

/** Brings the branch, the index and the work tree of this clone to what the remote has, some time after it has moved. */
export interface WorktreeFollower {
  /** Requests that the work tree follows; deliveries that stream in come first. */
  request(): void;
  close(): Promise<void>;
}

/** How long changes gather before the work tree follows them, at least and at the most, in milliseconds. */
const GATHER_MS = { least: 500, most: 3_000 };
/** After how long it is tried again where a person or an error is in the way, in milliseconds. */
const AGAIN_MS = 3_000;

/** See `WorktreeFollower`. */
export function createWorktreeFollower({
  status,
  tip,
  moveFetchedRef,
  onFiles,
  ...options
}: WorktreeFollowerOptions): WorktreeFollower {
  const { repository, storeLock, bases, log } = options;
  const stop = new AbortController();
  const { signal } = stop;
  let isRequested = false;
  let loggedReason: string | undefined;
  let running: Promise<void> | undefined;

  function request(): void {
    isRequested = true;
    running ??= run().finally(() => {
      running = undefined;
      // a request may have come after the loop had ended
      if (isRequested && !signal.aborted) request();
    });
  }

  async function run(): Promise<void> {
    let tookMs = 0;
    while (isRequested && !signal.aborted) {
      await pause(Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, 3 * tookMs)));
      isRequested = false;
      const began = performance.now();
      const commit = tip();
      if (commit === null || signal.aborted) return;
      const reason = await attempt(commit);
      tookMs = performance.now() - began;
      if (reason !== loggedReason) {
        status.set({ waitingFor: reason ?? null });
        if (reason !== undefined)
          log.warn(`the work tree does not follow the remote; it waits for ${reason}`);
      }
      loggedReason = reason;
      if (reason === undefined) continue;
      await pause(AGAIN_MS);
      isRequested = true;
    }
  }

  /** @returns the reason where the branch cannot follow now. */
  async function attempt(commit: string): Promise<string | undefined> {
    try {
      const deleteBases = bases.deleteLater();
      const followed = await follow(commit, { ...options, signal });
      if (followed.kind === 'waiting') {
        await moveFetchedRef(commit);
        return followed.waitingFor;
      }
      deleteBases();
      await settleStale(repository, bases, storeLock, tip());
      onFiles(followed.paths);
      return undefined;
    } catch (error) {
      return signal.aborted ? undefined : wordsOf(error);
    }
  }

  async function pause(ms: number): Promise<void> {
    // the shutdown does not wait
    await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async function close(): Promise<void> {
    stop.abort();
    await running;
  }

  return { request, close };
}
