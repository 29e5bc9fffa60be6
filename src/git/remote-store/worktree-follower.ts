import type { Log } from '../../log.js';
import { type FollowOptions, follow } from '../push/follow.js';
import { type PushStatusKeeper, wordsOf } from '../push/push-status.js';

export interface WorktreeFollowerOptions extends FollowOptions {
  readonly status: PushStatusKeeper;
  readonly log: Log;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  /** The last commit that the remote is known to have; null for none. */
  tip(): string | null;
  /** Receives the files that have changed, below the content folder. */
  onFiles(paths: readonly string[]): void;
}

/** After how long it is tried again where a person or an error is in the way, in milliseconds. */
const AGAIN_MS = 3_000;

/** Brings the branch, the index and the work tree of this clone to what the remote has. */
export function createWorktreeFollower({
  status,
  log,
  folder,
  tip,
  onFiles,
  ...options
}: WorktreeFollowerOptions) {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let reported: string | undefined;

  /** Resolves when the work tree has followed, or cannot. */
  function request(): Promise<void> {
    isWanted = true;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function run(): Promise<void> {
    while (isWanted && !isClosed) {
      isWanted = false;
      clearTimeout(timer);
      const reason = await attempt();
      status.set({ waitingFor: reason ?? null });
      if (reason !== undefined && reason !== reported)
        log.warn(`the work tree does not follow the remote; it waits for ${reason}`);
      reported = reason;
      if (reason !== undefined) timer = setTimeout(() => void request(), AGAIN_MS).unref();
    }
  }

  async function attempt(): Promise<string | undefined> {
    const commit = tip();
    if (commit === null) return undefined;
    try {
      const followed = await follow(commit, options);
      if (followed.kind === 'waiting') return followed.waitingFor;
      const paths = followed.changes.map(({ path }) => path).filter((path) => path.startsWith(folder));
      onFiles(paths.map((path) => path.slice(folder.length)));
      return undefined;
    } catch (error) {
      return isClosed ? undefined : wordsOf(error);
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    await running;
  }

  return { request, close };
}
