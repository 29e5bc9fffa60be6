import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';
import type { OnFetched, SharedFiles, SharedWrite } from '../../store/shared/shared-files.js';
import { commitAt } from '../cli/object-names.js';
import { identityOf, type Person } from '../commit/identity.js';
import { createIndexLocker } from '../commit/index-lock.js';
import { committableTree } from '../committable.js';
import { createBaseVersions } from '../push/base-versions.js';
import type { PushStatusKeeper } from '../push/push-status.js';
import {
  createRemote,
  FETCHED_REF,
  fetchedRefMover,
  type RemoteSettings,
  WHILE_ANSWERING,
} from '../push/remote.js';
import { createStoreLock } from '../push/store-lock.js';
import { type ArticleFile, sweepStaging, writeArticles } from '../push/worktree-checkout.js';
import { openRemoteTree } from './remote-tree.js';
import { createWorktreeEdits } from './worktree-edits.js';
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
  /** The files that a person may have edited while no receiver ran. */
  editedFiles(): Promise<readonly string[]>;
  /** Finds the stale files that a person has brought to the remote's version, so that the next edit counts as made from it. */
  settleStale(): Promise<void>;
  /** Why nothing can be stored now; undefined where the remote answers. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** How long an answer waits until the article is in the work tree, in milliseconds; then the file comes later. */
const WORKTREE_WAIT_MS = 2_000;

/**
 * The content folder as the remote has it, for durability `push`: a file is stored when the remote has it; the local
 * branch, index and work tree follow.
 *
 * @throws PressmarkError CONFIG_INVALID where the site's folder cannot be shared like that.
 */
export async function openSharedFiles(options: PushStoreOptions): Promise<PushStore> {
  const { log, staging, status, author, env } = options;
  const stop = new AbortController();
  const repository = await committableTree(options, 'push', stop.signal);
  const folder = `${repository.prefix}${options.content}`;
  const storeLock = createStoreLock(options.stateDir, 200);
  for (const name of await storeLock.run(() => sweepStaging(staging, options.siteDir)))
    log.warn({ path: name }, 'what was saved into a file while it was replaced now stands here');
  const locker = createIndexLocker(repository, findLockHelper(), log);
  await locker.sweep();
  // The follower moves `FETCHED_REF`: a delivery that waits for a fetch need not wait for that too.
  const remote = await createRemote(repository, options, env, undefined, WHILE_ANSWERING);
  const { ref } = remote;
  const identity = await identityOf(repository.git, author);
  const bases = createBaseVersions(repository, storeLock);

  const tree = await openRemoteTree({
    repository,
    remote,
    identity,
    folder,
    tip: await commitAt(repository, FETCHED_REF),
    log,
    onFetched: options.onFetched,
    onTip: () => follower.request(),
  });
  const follower = createWorktreeFollower({
    repository,
    locker,
    identity,
    ref,
    staging,
    log,
    storeLock,
    bases,
    status,
    tip: () => tree.tip,
    moveFetchedRef: fetchedRefMover(repository, locker, log),
    onFiles: (paths) => {
      const inside = paths.filter((path) => path.startsWith(folder));
      if (inside.length > 0) options.onFiles(inside.map((path) => path.slice(folder.length)));
    },
  });
  const worktreeEdits = createWorktreeEdits({ repository, folder, ref, tree, bases });
  let pending = 0;

  async function store(write: SharedWrite): Promise<void> {
    const { path, text, replaces, isEdit = false } = write;
    const inRepository = `${folder}${path}`;
    let blob = '';
    status.set({ waiting: ++pending });
    try {
      await tree.queue.push({
        ...write,
        message: options.message(write),
        accepted: () => {
          blob = tree.names.get(path) ?? '';
          // the base of whatever the person writes next
          if (isEdit) bases.set(inRepository, blob);
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
    if (!isEdit) await writeInTime({ path: inRepository, text, replaces }, blob);
  }

  /** Writes a stored article into the work tree, and waits for it as long as an answer can. */
  async function writeInTime(file: ArticleFile, blob: string): Promise<void> {
    const path = file.path.slice(folder.length);
    const timeout = new AbortController();
    const { signal } = timeout;
    let isLate = false;
    const written = writeSoon(file).then(
      (isWritten) => {
        if (isWritten) bases.set(file.path, blob);
        // Later, the branch follows, and reports the files that stay as they are.
        else if (!isLate)
          log.warn({ path }, 'a file that you have here and have not committed is in an article’s way');
      },
      // The remote has the article: the work tree is no reason to refuse it.
      (error: unknown) =>
        log.warn({ path, err: error }, 'a stored article could not be written into the work tree yet'),
    );
    // The branch may follow a large change, and keep the work tree for long.
    const time = setTimeout(WORKTREE_WAIT_MS, undefined, { signal }).catch(() => undefined);
    await Promise.race([written, time]);
    isLate = true;
    timeout.abort();
  }

  /** The articles that are written together as soon as the store's lock is free. */
  let nextFiles = new Map<string, ArticleFile>();
  let nextWritten: Promise<ReadonlyMap<string, boolean>> | undefined;

  async function writeSoon(file: ArticleFile): Promise<boolean> {
    const earlier = nextFiles.get(file.path);
    nextFiles.set(file.path, earlier === undefined ? file : { ...file, replaces: earlier.replaces });
    nextWritten ??= storeLock.run(async () => {
      const files = takeNext();
      const written = await writeArticles(repository, files, staging);
      return new Map(files.map(({ path }, index) => [path, written[index] === true]));
    });
    const writing = nextWritten;
    try {
      return (await writing).get(file.path) === true;
    } finally {
      // The lock was not to be had: the next article tries again.
      if (nextWritten === writing) takeNext();
    }
  }

  function takeNext(): ArticleFile[] {
    const files = [...nextFiles.values()];
    nextFiles = new Map();
    nextWritten = undefined;
    return files;
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
    await storeLock.close();
    await locker.close();
  }

  return {
    names: tree.names,
    texts: tree.texts,
    store,
    editAt: worktreeEdits.at,
    refresh,
    editedFiles: worktreeEdits.all,
    settleStale: () => bases.settle(tree.tip),
    trouble: () => {
      const { lastFailure } = tree.queue;
      return lastFailure === undefined ? undefined : messageOf(lastFailure);
    },
    close,
  };
}
