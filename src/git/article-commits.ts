import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findLockHelper } from '../fs/lock-helper.js';
import type { ArticleChange } from '../host/hook-types.js';
import type { Hooks } from '../host/hooks.js';
import type { Log } from '../log.js';
import { blobId, openRepository, type Repository } from './cli/repository.js';
import { isTakenAway, possibleBlobs } from './commit/blobs.js';
import type { Person } from './commit/identity.js';
import { rollBackLeftEntries } from './commit/index-intents.js';
import { createIndexLocker } from './commit/index-lock.js';
import { kindOf } from './commit/message.js';
import type { CommitContext } from './commit/transaction.js';
import { type BeforeReplace, createBeforeReplace } from './pending/before-replace.js';
import { type CommitBeforeAnswer, createCommitBeforeAnswer } from './pending/commit-before-answer.js';
import { createCommitMessages } from './pending/commit-messages.js';
import { createQueue, type Found } from './pending/commit-queue.js';
import { createCommitter } from './pending/committer.js';
import { createDrafting, type StoredFile } from './pending/drafting.js';
import { createEditDelay } from './pending/edit-delay.js';
import { reconcile } from './pending/reconcile.js';
import { createReplacedFiles } from './pending/replaced-files.js';
import { watchRepository } from './pending/repository-watch.js';
import { type ArticleFile, openScanCache } from './pending/scan-cache.js';
import { createWorktreeState, type WorktreeState } from './push/worktree-state.js';

/** How commit messages read, and who commits. */
export interface CommitSettings {
  /** Author and committer. @default what git is configured with, else `Pressmark <pressmark@localhost>` */
  readonly author?: Person;
  /** The message without its trailers; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are replaced. */
  readonly message?: string;
  /** Whether subjects end in `[skip ci]`. @default false */
  readonly skipCi?: boolean;
  /** Whether people's edits of articles are committed too, each as `Edit: <title>`. @default false */
  readonly commitEdits?: boolean;
}

/** Limits in milliseconds; `LIMITS_MS` has the defaults. */
export interface CommitLimits {
  /** For one git command. */
  readonly timeoutMs?: number;
  /** How long a file must not have changed before its edit is committed. @default 2000 */
  readonly stillMs?: number;
  /** How long a busy index is waited for; then commits are parked. */
  readonly indexWaitMs?: number;
  /** How long an update waits for the commit of what it replaces: at level `disk` receiving never depends on git. */
  readonly replaceMs?: number;
  /** How long the stop waits for commits. */
  readonly closeMs?: number;
}

/** The limits, by durability level. */
const LIMITS_MS = {
  disk: { timeoutMs: 30_000, indexWaitMs: 4_000, replaceMs: 2_000, closeMs: 7_000 },
  commit: { timeoutMs: 8_000, indexWaitMs: 2_000, replaceMs: 8_000, closeMs: 7_000 },
};

export interface ArticleCommitsOptions extends CommitSettings, CommitLimits {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The environment that is handed on to git, without its GIT_* variables. */
  readonly env: NodeJS.Dict<string>;
  /** Whether answers wait for commits (durability `commit`). @default false */
  readonly isBeforeAnswer?: boolean;
  /** Whether the branch is pushed in the background, so that others' commits come into the work tree. @default false */
  readonly isPushed?: boolean;
  readonly hooks: Pick<Hooks, 'applyFilters' | 'doAction'>;
  readonly log: Log;
  /** The files of all articles; called from `start` on. */
  articles(): Iterable<ArticleFile>;
  /** The files of an article, relative to the site's folder; called from `start` on. */
  pathsOf(id: string): readonly string[];
  /** Reads a text that an article's file (relative to the site's folder) has held; undefined where it is malformed. */
  decode(path: string, text: string): StoredFile | undefined;
  /** The state folder, absolute. */
  readonly stateDir: string;
  /** Where files are written before they get their name there; absolute. */
  readonly staging: string;
}

/** The commits of a site's articles; see `openArticleCommits`. Paths are relative to the site's folder. */
export interface ArticleCommits {
  readonly context: CommitContext;
  /** Keeps people's files unchanged while the branch follows the remote; undefined where nothing is pushed. */
  readonly worktree: WorktreeState | undefined;
  readonly beforeReplace: BeforeReplace;
  readonly commitBeforeAnswer: CommitBeforeAnswer;
  /** Adds an article that was stored; it is committed in the background. */
  add(change: ArticleChange): void;
  /** Adds a file whose text git may lack. */
  addFound(path: string): void;
  /** Adds a file that a person may have edited. */
  addEdit(path: string): Promise<void>;
  /**
   * From now on commits what other receivers leave.
   *
   * @param onDeadReceiver called when another receiver has died: it may have left pushes, too.
   */
  start(onDeadReceiver: () => void): Promise<void>;
  /** Compares the articles' files with the branch, and commits what git lacks. */
  reconcile(): void;
  /**
   * Commits the pending commits, and ends.
   *
   * @param push called after that; resolves with whether everything is pushed.
   */
  close(push?: () => Promise<boolean>): Promise<void>;
}

/**
 * Commits every publication and update to the git repository that the site is in: one commit each, of exactly that file.
 *
 * @returns undefined outside of a git work tree.
 */
export async function openArticleCommits(
  options: ArticleCommitsOptions,
): Promise<ArticleCommits | undefined> {
  const { log, siteDir, env, isBeforeAnswer = false } = options;
  const limits = { ...LIMITS_MS[isBeforeAnswer ? 'commit' : 'disk'], ...options };
  const stop = new AbortController();
  const found = await openRepository(siteDir, env, { signal: stop.signal, timeoutMs: limits.timeoutMs });
  if (found.kind === 'none') {
    log[found.unexpected ? 'warn' : 'info'](`articles are not committed: ${found.because}`);
    return undefined;
  }
  if (found.foreign)
    log.warn('the git repository belongs to another user; what is committed here belongs to root');
  return createArticleCommits(found, stop, limits);
}

/** Whether an article's file holds a text that git knows under this name. */
async function holds(repository: Repository, path: string, blob: string): Promise<boolean> {
  try {
    return possibleBlobs(repository, await readFile(join(repository.top, path))).includes(blob);
  } catch (error) {
    if (!isTakenAway(error)) throw error;
    return false;
  }
}

function createArticleCommits(
  repository: Repository,
  stop: AbortController,
  options: ArticleCommitsOptions & (typeof LIMITS_MS)['disk'],
): ArticleCommits {
  const {
    hooks,
    log,
    decode,
    siteDir,
    stateDir,
    staging,
    commitEdits = false,
    isBeforeAnswer = false,
  } = options;
  const helper = findLockHelper();
  const locker = createIndexLocker(repository, helper, log, options.indexWaitMs);
  const { signal } = stop;
  const { author } = options;
  const context: CommitContext = { repository, locker, log, signal, ...(author && { author }) };
  const worktree =
    options.isPushed === true
      ? createWorktreeState({ repository, siteDir, stateDir, staging, idleMs: 0, helper, log })
      : undefined;
  const bases = worktree?.bases;
  const messages = createCommitMessages({
    hooks,
    log,
    template: options.message,
    skipCi: options.skipCi ?? false,
  });
  const replaced = createReplacedFiles(stateDir, staging);
  const drafting = createDrafting({
    repository,
    log,
    commitEdits,
    messages,
    decode,
    pathsOf: options.pathsOf,
    isRecordedStale: async (path) => (await bases?.isStale(path)) ?? false,
  });
  const committer = createCommitter({
    context,
    drafting,
    onCommitted: (made) => {
      lastCommit = made.commit;
      void hooks.doAction('git.committed', made);
    },
    isNewest: async (path, blob) =>
      !((await bases?.isStale(path)) ?? false) && (await holds(repository, path, blob)),
    onOvertaken: keepOvertaken,
  });
  const queue = createQueue({ ...committer, reconcile: recover }, log);
  const edits = createEditDelay((path) => queue.add({ path, cause: { kind: 'edited' } }), options.stillMs);
  let lastCommit: string | undefined;
  let onDeadReceiver: () => void = () => undefined;
  let endWatch: () => Promise<void> = async () => undefined;

  /** Finishes the work of dead receivers and former runs, in three steps. */
  async function recover(signal: AbortSignal): Promise<Found> {
    const deadReceivers = await locker.sweepDeadReceivers();
    // The watch does not find them any more.
    if (deadReceivers > 0) onDeadReceiver();
    const indexEntries = await rollBackLeftEntries(repository, locker, signal);
    const cache = join(stateDir, 'git-checked');
    const openCache = (tip: string | null) =>
      openScanCache(cache, repository, tip, `edits ${commitEdits}`, log);
    const found = await reconcile({ repository, articles: options.articles(), openCache, signal });
    if (found.kind === 'found') {
      const uncommitted = found.paths.length;
      log.debug({ deadReceivers, indexEntries, uncommitted }, 'articles compared with the branch');
    }
    return found;
  }

  async function keepOvertaken(path: string, bytes: Buffer): Promise<void> {
    const file = await replaced.keep(path, bytes);
    log.warn(
      { path, file },
      'a parked text is not put on the branch, which has another one by now; this file has the text',
    );
  }

  function add(change: ArticleChange): void {
    const { path, article, text } = change;
    const commit = kindOf(article);
    const blob = blobId(repository, Buffer.from(text));
    queue.add({ path, cause: { kind: 'delivered', commit, blob, message: messages.of(commit, change) } });
  }

  async function start(listener: () => void): Promise<void> {
    onDeadReceiver = listener;
    endWatch = await watchRepository({
      repository,
      locker,
      log,
      lastCommit: () => lastCommit,
      onDeadReceiver: () => {
        queue.reconcile();
        listener();
      },
      onMoved: queue.reconcile,
    });
  }

  async function close(push: () => Promise<boolean> = async () => true): Promise<void> {
    const timer = setTimeout(() => stop.abort(), options.closeMs);
    await endWatch();
    edits.flush();
    const remaining = await queue.close();
    const isPushed = await push();
    await worktree?.close();
    clearTimeout(timer);
    await locker.close(remaining.files > 0 || remaining.isToReconcile || !isPushed);
    if (remaining.files > 0)
      log.warn({ articles: remaining.files }, 'not committed yet; the next start commits them');
  }

  return {
    context,
    worktree,
    beforeReplace: createBeforeReplace({
      repository,
      queue,
      replaced,
      log,
      isBeforeAnswer,
      limitMs: options.replaceMs,
    }),
    commitBeforeAnswer: createCommitBeforeAnswer(repository, queue, messages),
    add,
    addFound: (path) => queue.add({ path, cause: { kind: 'found' } }),
    addEdit: async (path) => {
      if (!commitEdits) return;
      edits.add(path);
      await bases?.settle();
    },
    start,
    reconcile: queue.reconcile,
    close,
  };
}
