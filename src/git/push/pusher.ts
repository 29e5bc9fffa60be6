import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import { type FollowOptions, follow } from './follow.js';
import { type PushStatusKeeper, wordsOf } from './push-status.js';
import type { Remote } from './remote.js';

export interface PusherOptions {
  readonly repository: Repository;
  readonly remote: Remote;
  /** How the local branch takes in what others have pushed. */
  readonly following: FollowOptions;
  /** How long commits gather before they are pushed, in milliseconds. */
  readonly debounce: number;
  readonly status: PushStatusKeeper;
  readonly log: Log;
  /** Told of files that have come with others' commits, from the top of the work tree. */
  onFiles(paths: readonly string[]): void;
}

/** Pushes in the background; see `createPusher`. */
export interface Pusher {
  /** Says that the branch has commits that may have to be pushed. */
  request(commits: number): void;
  /** Pushes what waits, once; what fails is pushed after the next start. @returns whether nothing is left to push. */
  close(): Promise<boolean>;
}

/** The pauses after pushes that failed: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 1_000, longest: 300_000 };
/** How often a branch that others push to as well is followed before it is put off. */
const MAX_ATTEMPTS = 5;

/**
 * Pushes the branch some time after commits were made, all that have gathered at once. Where the remote has moved
 * on, its commits are taken in first, and never anything forced. A failure is told once and tried again, each time
 * later and never in step with other receivers.
 */
export function createPusher({
  repository,
  remote,
  following,
  debounce,
  status,
  log,
  onFiles,
}: PusherOptions): Pusher {
  const hurry = new AbortController();
  let wanted = false;
  let running: Promise<void> | undefined;
  let pushed: string | undefined;
  let told: string | undefined;
  let failures = 0;

  function request(commits: number): void {
    wanted = true;
    if (commits > 0) status.set({ waiting: status.now.waiting + commits });
    if (!hurry.signal.aborted) start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      // something may have come between the loop's last look and now
      if (wanted && !hurry.signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (wanted && !hurry.signal.aborted) {
      await pause(debounce);
      if (!(await attempt())) await pause(backoff());
    }
  }

  /** Pushes the branch as it is now; false where that has to be tried again. */
  async function attempt(): Promise<boolean> {
    wanted = false;
    const { waiting } = status.now;
    let held: string | undefined;
    try {
      held = await pushBranch();
    } catch (error) {
      held = wordsOf(error);
      status.set({ lastError: messageOf(error) });
    }
    if (held === undefined) {
      if (told !== undefined) log.info('pushes work again');
      told = undefined;
      failures = 0;
      // what was committed meanwhile has its own request
      status.set({ waiting: Math.max(0, status.now.waiting - waiting), lastError: null, waitingFor: null });
      return true;
    }
    failures++;
    wanted = true;
    if (told !== held) log.warn({ reason: held }, 'not pushed; tried again later');
    told = held;
    return false;
  }

  /** Says what it waits for where a person has to do something first. */
  async function pushBranch(): Promise<string | undefined> {
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      const tip = await branchTip();
      if (tip === undefined || tip === pushed) return undefined;
      const result = await remote.push(tip);
      if (result.outcome === 'accepted') {
        pushed = tip;
        status.set({ lastPush: new Date().toISOString() });
        log.info({ commit: tip }, 'pushed');
        return undefined;
      }
      if (result.outcome === 'declined')
        throw new PressmarkError('REMOTE_DECLINED', `${remote.name} declined the push: ${result.why}`);
      const theirs = await remote.fetch(null);
      if (theirs === null) continue;
      const done = following.origins?.begin();
      const followed = await follow(theirs, following);
      if ('waitingFor' in followed) {
        status.set({ waitingFor: followed.waitingFor });
        return `it waits for ${followed.waitingFor}`;
      }
      done?.();
      if (followed.paths.length > 0) onFiles(followed.paths);
    }
    throw new PressmarkError('REMOTE_UNAVAILABLE', `${remote.name} moves on faster than it can be followed`);
  }

  async function branchTip(): Promise<string | undefined> {
    const args = ['rev-parse', '-q', '--verify', `${following.ref}^{commit}`];
    const { code, stdout } = await repository.git(args, { accept: [1] });
    return code === 0 ? stdout.trim() : undefined;
  }

  function backoff(): number {
    const longest = Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** Math.min(failures - 1, 20));
    return longest * (0.5 + Math.random() / 2);
  }

  async function pause(ms: number): Promise<void> {
    // the shutdown does not wait
    await setTimeout(ms, undefined, { signal: hurry.signal }).catch(() => undefined);
  }

  async function close(): Promise<boolean> {
    hurry.abort();
    await running;
    return !wanted || attempt();
  }

  return { request, close };
}
