import { findLockHelper } from '../fs/lock-helper.js';
import type { ArticleChange, CommitMessageContext } from '../host/hook-types.js';
import { definePlugin, type Plugin, type PluginHost } from '../host/plugins.js';
import { type PushSettings, pushInBackground } from './background-push.js';
import { createBehind } from './behind.js';
import { type ArticleFile, readChecked } from './checked.js';
import type { CommitContext } from './commit.js';
import { type CommitNow, createCommitNow } from './commit-now.js';
import { type Committer, createCommitter, type StoredFile } from './committer.js';
import { createEdits } from './edits.js';
import { createExclusive } from './exclusive.js';
import type { Person } from './identity.js';
import { createIndexLocker } from './index-lock.js';
import { type CommitKind, eventOf, kindOf, subjectIn } from './message.js';
import { createOrigins } from './origins.js';
import { createQueue, type Waiting } from './queue.js';
import { findUncommitted } from './recover.js';
import { openRepository, type Repository } from './repository.js';
import { type SharedEdit, type ShareEditsOptions, shareEdits } from './share-edits.js';
import type { SharedArticle, SharedFiles } from './shared-files.js';

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
   * its file, and has no commit of its own if the file has gone on by then. @default 64000000
   */
  readonly maxHeldText?: number;
  /** How long one git command may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
  /** With durability `commit`: is handed what commits before the answer; nothing is committed in the background. */
  readonly commitsBefore?: (commit: CommitNow) => void;
  /** Has the branch pushed in the background. */
  readonly push?: PushSettings;
  /** With durability `push`: where commits are made instead; this work tree follows. */
  readonly shared?: SharedWith;
  /** Reads an article's file (relative to the site's folder, forward slashes); undefined if there is none. */
  readStored(path: string): Promise<StoredFile | undefined>;
  /** The files of all articles, for the check at start-up. */
  articles(): Iterable<ArticleFile>;
  /** Where the start-up check remembers what it found in good order; absolute. */
  readonly memory: string;
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

  const locker = createIndexLocker(repository, findLockHelper(), log);
  const context: CommitContext = {
    repository,
    locker,
    log,
    signal: stop.signal,
    urgent: options.commitsBefore !== undefined,
    ...(options.author && { author: options.author }),
  };
  const { commitEdits = false } = options;
  const keeping = options.push && {
    exclusive: createExclusive(options.push.stateDir, 0),
    origins: createOrigins(repository),
  };
  if (keeping !== undefined) host.onClose(keeping.exclusive.close);
  const behind = keeping && createBehind(repository, keeping.origins, keeping.exclusive);
  const committer = createCommitter({
    host,
    context,
    template: options.message,
    skipCi: options.skipCi ?? false,
    commitEdits,
    behind,
    readStored: options.readStored,
  });
  const { shared } = options;
  if (shared !== undefined) {
    wordShared(host, shared, committer);
    if (commitEdits) shareEdits(host, sharing(shared));
    host.onClose(() => locker.close());
    return;
  }
  options.commitsBefore?.(createCommitNow(repository, committer));
  const edits = createEdits((path) =>
    queue.add({
      path,
      kind: 'Edit',
      text: undefined,
      revision: undefined,
      message: undefined,
      before: undefined,
    }),
  );
  const queue = createQueue(
    {
      ...committer,
      async recover(signal) {
        await locker.sweep();
        const remember = (tip: string | null) =>
          readChecked(options.memory, repository, tip, `edits ${commitEdits}`, log);
        const found = await findUncommitted(repository, options.articles(), remember, signal);
        if (!('waitingFor' in found))
          log.debug({ uncommitted: found.length }, 'articles compared with the branch');
        return found;
      },
    },
    log,
    options.maxHeldText ?? 64_000_000,
  );

  function add(change: ArticleChange): void {
    if (commitEdits && change.replaced !== undefined) {
      // what was about to be committed, or would have been
      edits.forget(change.path);
      const { article, text } = change.replaced;
      queue.add(waitingFor('Edit', { ...change, event: 'article.edited', article, text }));
    }
    queue.add(waitingFor(kindOf(change.article), change));
  }

  function waitingFor(kind: CommitKind, change: CommitMessageContext): Waiting {
    return {
      path: change.path,
      kind,
      text: change.text,
      revision: change.article.revision,
      message: committer.messageFor(kind, change),
      before: undefined,
    };
  }
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
  host.onClose(async () => {
    const timer = setTimeout(() => stop.abort(), CLOSE_MS);
    edits.flush();
    const left = await queue.close();
    await pusher?.close();
    clearTimeout(timer);
    await locker.close();
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
