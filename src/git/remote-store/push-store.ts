import { messageOf, PressmarkError } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';
import type { OnFetched, SharedFiles, SharedWrite } from '../../store/shared/shared-files.js';
import { within } from '../../time-limit.js';
import { identityOf, type Person } from '../commit/identity.js';
import { removeStaleLocks } from '../commit/stale-locks.js';
import { committableTree } from '../content-folder.js';
import { commitAt } from '../objects.js';
import type { PushStatusKeeper } from '../push/push-status.js';
import { createRemote, FETCHED_REF, type RemoteSettings, WHILE_ANSWERING } from '../push/remote.js';
import { createStoreLock } from '../push/store-lock.js';
import { openRemoteTree } from './remote-tree.js';
import { createWorktreeFollower } from './worktree-follower.js';

export interface PushStoreOptions extends RemoteSettings {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  /** The state folder, absolute. */
  readonly stateDir: string;
  readonly status: PushStatusKeeper;
  readonly author?: Person;
  readonly env: NodeJS.Dict<string>;
  readonly log: Log;
  /** How often the remote is asked where no delivery asks it, in milliseconds. */
  readonly fetchEvery: number;
  readonly onFetched: OnFetched;
  /** The whole commit message of an article. */
  message(write: SharedWrite): Promise<string>;
  /** Receives each commit that the remote has accepted. */
  onCommit(write: SharedWrite, commit: string, message: string): void;
  /** Receives the files of the work tree that have changed, below the content folder. */
  onFiles(paths: readonly string[]): void;
}

/** The content folder on the remote, and this clone of it; see `openSharedFiles`. */
export interface PushStore extends SharedFiles {
  /** Why nothing can be stored now; undefined where the remote answers. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** How long an answer waits until the article is in the work tree, in milliseconds; then the file comes later. */
const WAIT_MS = 2_000;

/**
 * The content folder as the remote has it, for durability `push`: a file is stored when the remote has it; the local
 * branch, index and work tree follow.
 *
 * @throws PressmarkError CONFIG_INVALID where the site's folder cannot be shared like that.
 */
export async function openSharedFiles(options: PushStoreOptions): Promise<PushStore> {
  const { log, status, author, env, onFiles } = options;
  const stop = new AbortController();
  const repository = await committableTree(options, 'push', stop.signal);
  const folder = `${repository.prefix}${options.content}`;
  removeStaleLocks(repository);
  const storeLock = createStoreLock(options.stateDir, 200, findLockHelper());
  const remote = await createRemote(repository, options, env, WHILE_ANSWERING);
  const tree = await openRemoteTree({
    repository,
    remote,
    identity: await identityOf(repository.git, author),
    folder,
    tip: await commitAt(repository, FETCHED_REF),
    log,
    onFetched: options.onFetched,
    onTip: () => void follower.request(),
  });
  const follower = createWorktreeFollower({
    repository,
    author,
    ref: remote.ref,
    log,
    status,
    tip: () => tree.tip,
    folder,
    onFiles,
    whileLocked: storeLock.run,
  });
  let pending = 0;

  async function store(write: SharedWrite): Promise<void> {
    status.set({ waiting: ++pending });
    try {
      await tree.queue.push({
        ...write,
        message: options.message(write),
        committed: (commit, message) => options.onCommit(write, commit, message),
      });
      status.set({ lastPush: new Date().toISOString(), lastError: null });
    } catch (error) {
      if (error instanceof PressmarkError) status.set({ lastError: messageOf(error) });
      throw error;
    } finally {
      status.set({ waiting: --pending });
    }
    await within(WAIT_MS, follower.request(), () => undefined);
  }

  async function refresh(): Promise<void> {
    try {
      await tree.queue.waitForFetch();
      if (pending === 0) status.set({ lastError: null });
    } catch (error) {
      status.set({ lastError: messageOf(error) });
      throw error;
    }
  }

  // the status has the error
  const timer = setInterval(() => void refresh().catch(() => undefined), options.fetchEvery).unref();
  void follower.request();

  async function close(): Promise<void> {
    clearInterval(timer);
    await tree.queue.close();
    stop.abort();
    await follower.close();
    await storeLock.close();
  }

  return {
    names: tree.names,
    texts: tree.texts,
    store,
    refresh,
    trouble: () => {
      const { lastFailure } = tree.queue;
      return lastFailure === undefined ? undefined : messageOf(lastFailure);
    },
    close,
  };
}
