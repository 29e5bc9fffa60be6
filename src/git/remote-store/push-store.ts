import { messageOf, PressmarkError } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';
import type { OnFetched, SharedFiles, SharedWrite } from '../../store/shared/shared-files.js';
import { commitAt } from '../cli/objects.js';
import { identityOf, type Person } from '../commit/identity.js';
import { createIndexLocker } from '../commit/index-lock.js';
import { committableTree } from '../committable.js';
import type { PushStatusKeeper } from '../push/push-status.js';
import {
  createRemote,
  FETCHED_REF,
  fetchedRefMover,
  type RemoteSettings,
  WHILE_ANSWERING,
} from '../push/remote.js';
import { createWorktreeState } from '../push/worktree-state.js';
import { createArticleFiles } from './article-files.js';
import { openRemoteTree } from './remote-tree.js';
import { createWorktreeFollower } from './worktree-follower.js';

export interface PushStoreOptions extends RemoteSettings {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder, with forward slashes and one at its end. */
  readonly content: string;
  /** The state folder, absolute. */
  readonly stateDir: string;
  /** The folder in which files are made before they get their names, absolute. */
  readonly staging: string;
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

/**
 * The content folder as the remote has it, for durability `push`: a file is stored when the remote has it; the local
 * branch, index and work tree follow.
 *
 * @throws PressmarkError CONFIG_INVALID where the site's folder cannot be shared like that.
 */
export async function openSharedFiles(options: PushStoreOptions): Promise<PushStore> {
  const { log, status, author, env } = options;
  const stop = new AbortController();
  const repository = await committableTree(options, 'push', stop.signal);
  const folder = `${repository.prefix}${options.content}`;
  const helper = findLockHelper();
  const worktree = createWorktreeState({ ...options, repository, idleMs: 200, helper });
  await worktree.sweep();
  const locker = createIndexLocker(repository, helper, log);
  await locker.sweep();
  const moveFetchedRef = fetchedRefMover(repository, locker);
  const remote = await createRemote(repository, options, env, keepFetched, WHILE_ANSWERING);
  const { ref } = remote;
  const identity = await identityOf(repository.git, author);

  const tree = await openRemoteTree({
    repository,
    remote,
    identity,
    folder,
    tip: await commitAt(repository, FETCHED_REF),
    log,
    keepPacks: locker.keepPacks,
    onFetched: options.onFetched,
    onTip: () => follower.request(),
  });
  const follower = createWorktreeFollower({
    repository,
    locker,
    identity,
    ref,
    log,
    worktree,
    status,
    tip: () => tree.tip,
    releaseLater: tree.releaseLater,
    folder,
    onFiles: options.onFiles,
  });
  const articleFiles = createArticleFiles(repository, folder, worktree, log);
  let pending = 0;

  /**
   * The follower moves `FETCHED_REF`: a delivery that waits for a fetch need not wait for that too, unless git has moved
   * no remote-tracking branch. Then nothing else keeps the commits from the owner's `git repack -a -d`.
   */
  async function keepFetched(commit: string): Promise<void> {
    const tracking = ref.replace('refs/heads/', `refs/remotes/${options.remote ?? 'origin'}/`);
    if ((await commitAt(repository, tracking)) !== commit) await moveFetchedRef(commit);
  }

  async function store(write: SharedWrite): Promise<void> {
    const { path, text, replaces } = write;
    const inRepository = `${folder}${path}`;
    let blob = '';
    status.set({ waiting: ++pending });
    try {
      await tree.queue.push({
        ...write,
        message: options.message(write),
        accepted: () => {
          blob = tree.names.get(path) ?? '';
          write.accepted();
        },
        committed: (commit, message) => options.onCommit(write, commit, message),
      });
      status.set({ lastPush: new Date().toISOString(), lastError: null });
    } catch (error) {
      if (error instanceof PressmarkError) status.set({ lastError: messageOf(error) });
      throw error;
    } finally {
      status.set({ waiting: --pending });
    }
    await articleFiles.write({ path: inRepository, text, replaces }, blob);
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
  follower.request();

  async function close(): Promise<void> {
    clearInterval(timer);
    await tree.queue.close();
    stop.abort();
    await follower.close();
    await worktree.close();
    await locker.close();
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
