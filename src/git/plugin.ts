import { join } from 'node:path';
import { findLockHelper } from '../fs/lock-helper.js';
import type { ArticleChange } from '../host/hook-types.js';
import { definePlugin, type Plugin, type PluginHost } from '../host/plugins.js';
import type { SharedWrite as SharedArticle, SharedEdit } from '../store/shared-files.js';
import { openRepository, type Repository } from './cli/repository.js';
import type { CommitContext } from './commit/commit-request.js';
import type { Person } from './commit/identity.js';
import { createIndexLocker } from './commit/index-lock.js';
import { takeBackLeftEntries } from './commit/index-rollback.js';
import { type CommitKind, eventOf, kindOf, subjectIn } from './commit/message.js';
import { type CommitNow, createCommitNow } from './pending/commit-now.js';
import { createQueue } from './pending/commit-queue.js';
import { type Committer, createCommitter } from './pending/committer.js';
import { watchForDeadReceivers } from './pending/dead-receivers.js';
import { createEdits } from './pending/edit-delay.js';
import { createKeeping, type KeepReplaced } from './pending/keeping.js';
import { createLastCommitted } from './pending/last-committed.js';
import { findUncommitted } from './pending/reconcile.js';
import { createReplacedTexts } from './pending/replaced-texts.js';
import { createSavedTexts } from './pending/saved-texts.js';
import { type ArticleFile, readChecked } from './pending/scan-cache.js';
import { type PushSettings, pushInBackground } from './push/background-push.js';
import { createEditBases as createOrigins } from './push/edit-bases.js';
import { createStaleEdits as createBehind } from './push/stale-edits.js';
import { createStoreLock as createExclusive } from './push/store-lock.js';
import type { PushStore as SharedFiles } from './remote-store/push-store.js';
import { type ShareEditsOptions, shareEdits } from './remote-store/share-edits.js';
import type { StoredFile } from './stored-file.js';

export interface GitPluginOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** Author and committer. @default what git is configured with, else `Pressmark <pressmark@localhost>` */
  readonly author?: Person;
  /** The message without its trailers; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are replaced. */
  readonly message?: string;
  /** Whether subjects end in `[skip ci]`. @default false */
  readonly skipCi?: boolean;
  /** Whether people's edits of articles are committed too, each as `Edit: <title>`. @default false */
  readonly commitEdits?: boolean;
  /** The environment that is handed on to git, without its GIT_* variables. */
  readonly env: NodeJS.Dict<string>;
  /**
   * How much text may wait for its commit in memory, in characters; what comes beyond it is read again from
   * its file, or from where it is kept once an update has replaced it. @default 64000000
   */
  readonly maxHeldText?: number;
  /** How long one git command may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /** How long a file must lie still before its edit is committed, in milliseconds. @default 2000 */
  readonly stillMs?: number;
  /** How long a busy index is waited for, in milliseconds. @default 4000, or 2000 where answers wait for commits */
  readonly indexWaitMs?: number;
  /** How long the shutdown waits for commits, in milliseconds. @default 7000 */
  readonly closeMs?: number;
  /** With durability `commit`: is handed what commits before the answer; nothing is committed in the background. */
  readonly commitsBefore?: (commit: CommitNow) => void;
  /** With durability `disk`: is handed what keeps a text that may not be committed yet, before an update replaces it. */
  readonly keepsReplaced?: (keep: KeepReplaced) => void;
  /** Has the branch pushed in the background. */
  readonly push?: PushSettings;
  /** With durability `push`: where commits are made instead; this work tree follows. */
  readonly shared?: SharedWith;
  /** Reads an article's file (relative to the site's folder, forward slashes); undefined if there is none. */
  readStored(path: string): Promise<StoredFile | undefined>;
  /** Reads a text that an article's file once held; undefined where it is malformed. */
  decode(path: string, text: string): StoredFile | undefined;
  /** The files of all articles, for the check at start-up. */
  articles(): Iterable<ArticleFile>;
  /** Where the plugin leaves what the next start needs; absolute. */
  readonly stateDir: string;
  /** Where files are written before they get their name there; absolute. */
  readonly staging: string;
}

/** The files that several machines share. */
export interface SharedWith {
  readonly files: Pick<SharedFiles, 'wordWith' | 'editedFiles' | 'lookForCaughtUp' | 'tellLeft'>;
  /** Stores a person's edit, by its path below the content folder, for all machines. */
  shareEdit(path: string): Promise<SharedEdit>;
  /** A path below the content folder, as seen from the site's folder. */
  siteRelative(path: string): string;
}

/** How long the shutdown waits for commits, in milliseconds. */
const CLOSE_MS = 7_000;
/** How long a busy index is waited for where answers wait for commits, in milliseconds; then they are parked. */
const URGENT_INDEX_WAIT_MS = 2_000;

/**
 * Commits every publication and update to the git repository that the site stands in: one commit each, of
 * exactly that file, in the background. Outside of a git work tree nothing of it runs.
 */
export function gitPlugin(options: GitPluginOptions): Plugin {
  return definePlugin({
    name: 'git',
    async setup(host) {
      if (host.role === 'receiver') await commitChanges(host, options);
    },
  });
}

async function commitChanges(host: PluginHost, options: GitPluginOptions): Promise<void> {
  const { log } = host;
  const stop = new AbortController();
  const found = await openRepository(options.siteDir, options.env, {
    signal: stop.signal,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
  if ('because' in found) {
    log[found.unexpected ? 'warn' : 'info'](`articles are not committed: ${found.because}`);
    return;
  }
  const repository: Repository = found;
  if (repository.foreign)
    log.warn('the git repository belongs to another user; what is committed here belongs to root');

  const { commitEdits = false } = options;
  const urgent = options.commitsBefore !== undefined;
  const indexWaitMs = options.indexWaitMs ?? (urgent ? URGENT_INDEX_WAIT_MS : undefined);
  const locker = createIndexLocker(repository, findLockHelper(), log, indexWaitMs);
  const context: CommitContext = {
    repository,
    locker,
    log,
    signal: stop.signal,
    urgent,
    commitEdits,
    lastCommitted: createLastCommitted(),
    decode: options.decode,
    ...(options.author && { author: options.author }),
  };
  const keeping = options.push && {
    exclusive: createExclusive(options.push.stateDir, 0),
    origins: createOrigins(repository),
  };
  const behind = keeping && createBehind(repository, keeping.origins, keeping.exclusive);
  const saved = createSavedTexts(options.stateDir, options.staging, log);
  const { decode } = options;
  const replaced = createReplacedTexts({ repository, saved, commitEdits, decode, log });
  const committer = createCommitter({
    host,
    context,
    template: options.message,
    skipCi: options.skipCi ?? false,
    commitEdits,
    behind,
    replaced,
    readStored: options.readStored,
    later: (path) => edits.note(path),
  });
  const { shared } = options;
  if (shared !== undefined) {
    wordShared(host, shared, committer);
    if (commitEdits) shareEdits(host, sharing(shared));
    // from a time with another durability
    await replaced.leaveAll();
    host.onClose(() => locker.close());
    return;
  }
  options.commitsBefore?.(createCommitNow(repository, committer, replaced, () => queue.replayParked()));
  const edits = createEdits(
    (path) =>
      queue.add({
        path,
        kind: 'Edit',
        text: undefined,
        revision: undefined,
        message: undefined,
        before: undefined,
      }),
    options.stillMs,
  );
  const queue = createQueue(
    {
      ...committer,
      async recover(signal) {
        await locker.sweepDeadReceivers();
        await takeBackLeftEntries(repository, locker, signal);
        const names = await replaced.names();
        const memory = join(options.stateDir, 'git-checked');
        const remember = (tip: string | null) =>
          readChecked(memory, repository, tip, `edits ${commitEdits}`, log);
        const found = await findUncommitted(repository, options.articles(), remember, signal);
        if ('waitingFor' in found || signal.aborted) return found;
        log.debug({ uncommitted: found.length }, 'articles compared with the branch');
        return replaced.recovered(names, found);
      },
    },
    log,
    options.maxHeldText ?? 64_000_000,
  );

  function add(change: ArticleChange): void {
    // what an update has replaced waits already
    if (change.replaced !== undefined) edits.forget(change.path);
    const kind = kindOf(change.article);
    queue.add({
      path: change.path,
      kind,
      text: change.text,
      revision: change.article.revision,
      message: committer.messageFor(kind, change),
      before: undefined,
    });
  }
  options.keepsReplaced?.(createKeeping(replaced, queue, commitEdits));
  // with durability commit, that is done by now
  if (options.commitsBefore === undefined) {
    host.addAction('article.published', add);
    host.addAction('article.updated', add);
  }
  if (commitEdits)
    host.addAction('article.edited', async ({ path }) => {
      edits.note(path);
      await behind?.look();
    });
  host.addAction('host.ready', () => queue.recover());
  const pusher =
    options.push && keeping && (await pushInBackground(host, options.push, options, context, keeping));
  const endWatch = await watchForDeadReceivers({
    locker,
    log,
    finishTheirWork: () => {
      queue.recover();
      pusher?.request(0);
    },
  });
  host.onClose(async () => {
    const timer = setTimeout(() => stop.abort(), options.closeMs ?? CLOSE_MS);
    endWatch();
    edits.flush();
    const left = await queue.close();
    const isPushed = (await pusher?.close()) ?? true;
    await keeping?.exclusive.close();
    clearTimeout(timer);
    await locker.close(left > 0 || !isPushed);
    if (left > 0) log.warn({ articles: left }, 'not committed yet; the next start commits them');
  });
}

function sharing({ files, shareEdit, siteRelative }: SharedWith): ShareEditsOptions {
  const prefix = siteRelative('');
  return {
    share: shareEdit,
    editedFiles: files.editedFiles,
    lookForCaughtUp: files.lookForCaughtUp,
    tellLeft: files.tellLeft,
    contentRelative: (path) => (path.startsWith(prefix) ? path.slice(prefix.length) : undefined),
  };
}

/** Gives the commits that go straight to the remote their messages, and tells of them. */
function wordShared(host: PluginHost, { files, siteRelative }: SharedWith, committer: Committer): void {
  const kindIn = ({ article, isEdit = false }: SharedArticle) => (isEdit ? 'Edit' : kindOf(article));
  const changeOf = (kind: CommitKind, { article, path, text }: SharedArticle) => ({
    event: eventOf(kind),
    article,
    path: siteRelative(path),
    text,
    timestamp: article.updated ?? article.date,
  });
  files.wordWith({
    message: (stored) => committer.messageFor(kindIn(stored), changeOf(kindIn(stored), stored)),
    committed: ({ path }, commit, message) =>
      void host.doAction('git.committed', { commit, path: siteRelative(path), subject: subjectIn(message) }),
  });
}
