import { messageOf, PressmarkError } from '../../errors.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import { definePlugin, type Plugin, type ReceiverHost } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import type { Writer } from '../../store/write/article-files.js';
import { type CommittedFolder, checkContentFolder } from '../content-folder.js';
import { saidIn } from '../git.js';
import type { Person } from '../identity.js';
import { commitAt } from '../objects.js';
import { openRepository } from '../repository.js';
import type { AssetsOf } from './assets.js';
import { createCommitArticles } from './commit-articles.js';
import { createCommitQueue, type Why } from './commit-queue.js';
import type { ArticlePaths } from './committed-elsewhere.js';
import { refuseWhileUnfinished } from './head.js';
import { type CommitSettings, createMessages } from './message.js';
import { createBeforeReplace, createKeepText } from './replaced-texts.js';
import { removeStaleLocks } from './stale-locks.js';
import { createComparison } from './uncommitted.js';

/** Limits in milliseconds; `LIMITS_MS` has the defaults. */
export interface CommitLimits {
  /** How long one git command may take, apart from the one that makes the commits of a batch. */
  readonly timeoutMs?: number;
  /** How long a file must stay unchanged before its edit is committed. @default 2000 */
  readonly stillMs?: number;
  /** How long an update waits for the commit of the text that it replaces. At level `disk` it does not fail without one. */
  readonly replaceMs?: number;
  /** How long the shutdown waits for commits. @default 7000 */
  readonly closeMs?: number;
}

/** The default limits, by durability level. */
const LIMITS_MS = {
  disk: { timeoutMs: 30_000, replaceMs: 2_000 },
  commit: { timeoutMs: 8_000, replaceMs: 8_000 },
};

/** How long git may take while an answer waits, in milliseconds; the service waits for 30 s. */
const ANSWER_MS = 8_000;

/** Paths for `decode` and from `pathsOf` are relative to the site's folder. */
export interface ArticleCommitsOptions extends CommitSettings, CommitLimits, ArticlePaths {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder; empty, or with a slash at its end. */
  readonly content: string;
  /** The environment for git; its GIT_* variables are dropped. */
  readonly env: NodeJS.Dict<string>;
  /** Whether answers wait for commits (durability `commit`). @default false */
  readonly isBeforeAnswer?: boolean;
  /** Whether a path below the content folder is an article file's. */
  isArticle(path: string): boolean;
  /** The ref of the remote's last commit; undefined if nothing is pushed. */
  readonly upstream?: string;
  /** The files that belong to an article. */
  readonly assetsOf: AssetsOf;
  /** The person who made a revision; see `Editors`. */
  authorOf(revision: string): Person | undefined;
  readonly hooks: Pick<Hooks, 'applyFilters' | 'doAction'>;
  readonly log: Log;
  /** The state folder, absolute. */
  readonly stateDir: string;
}

/** Begins to push the branch in the background. Returns a function that pushes the remaining commits once. */
export type StartPush = (host: ReceiverHost, place: CommittedFolder) => Promise<() => Promise<void>>;

/** The commits of a site's articles; see `openArticleCommits`. */
export type ArticleCommits = ReturnType<typeof createArticleCommits>;

/**
 * Commits every publication and update to the site's git repository: one commit each, of exactly that file and its assets.
 *
 * @returns undefined if articles cannot be committed here; the log says why.
 */
export async function openArticleCommits(
  options: ArticleCommitsOptions,
): Promise<ArticleCommits | undefined> {
  const { log, siteDir, env, content, isBeforeAnswer = false } = options;
  const limits = LIMITS_MS[isBeforeAnswer ? 'commit' : 'disk'];
  const stop = new AbortController();
  const timeoutMs = options.timeoutMs ?? limits.timeoutMs;
  const found = await openRepository(siteDir, env, { signal: stop.signal, timeoutMs });
  if (found.kind === 'none') {
    log[found.unexpected ? 'warn' : 'info'](`articles are not committed: ${found.because}`);
    return undefined;
  }
  const place = await checkContentFolder(found, content).catch((error: unknown) => {
    // For example, a power loss has torn the index. Articles are stored all the same.
    if (error instanceof PressmarkError) return error;
    throw error;
  });
  if (place instanceof PressmarkError) {
    const said = messageOf(saidIn(place));
    log.error(
      `articles are not committed: ${place.message}: ${said}; correct that, and restart the receiver`,
    );
    return undefined;
  }
  if (place.kind === 'refused') {
    log.warn(
      `articles are not committed: the content folder: ${place.why}; if that is not meant, correct it, and restart the receiver`,
    );
    return undefined;
  }
  for (const lock of removeStaleLocks(found))
    log.warn({ lock }, 'removed a lock file that git had left before the machine started');
  return createArticleCommits(place, stop, { ...options, replaceMs: options.replaceMs ?? limits.replaceMs });
}

function createArticleCommits(
  place: CommittedFolder,
  stop: AbortController,
  options: ArticleCommitsOptions & { readonly replaceMs: number },
) {
  const { hooks, log, stateDir, content, commitEdits = false, sign = false } = options;
  const { isBeforeAnswer = false, upstream, stillMs = 2_000, closeMs = 7_000 } = options;
  const { repository } = place;
  const message = createMessages({ hooks, log, template: options.message, skipCi: options.skipCi ?? false });
  const edits = new Map<string, NodeJS.Timeout>();
  let changes: NodeJS.Timeout | undefined;
  let isClosed = false;

  const keepText = createKeepText(stateDir, log);
  const { commit, idle } = createCommitArticles({
    ...options,
    place,
    keepText,
    sign,
    commitEdits,
    message,
    upstream: async () => (upstream === undefined ? null : commitAt(repository, upstream)),
    onCommitted: (made) => void hooks.doAction('git.committed', made),
  });
  const onFailed = (path: string, reason: string) => void hooks.doAction('git.failed', { path, reason });
  const queue = createCommitQueue(commit, onFailed, log);
  const comparison = createComparison({
    place,
    log,
    isArticle: options.isArticle,
    onUncommitted: (path) => queue.add(path, 'found'),
  });
  const beforeReplace = createBeforeReplace({
    place,
    queue,
    keepText,
    log,
    isBeforeAnswer,
    limitMs: options.replaceMs,
  });

  async function commitNow(path: string, text: string, why: Why): Promise<void> {
    const outcome = await queue.commitNow(path, why, ANSWER_MS, why === 'stored' ? text : undefined);
    if (outcome.kind === 'committed') {
      if (outcome.content?.equals(Buffer.from(text))) return;
      throw new PressmarkError(
        'COMMIT_FAILED',
        'another program, such as git, has replaced the article’s file before its commit; send it again',
      );
    }
    const what = outcome.kind === 'later' ? 'send it again when git works' : 'change that and send it again';
    const message = `the article is stored, but has no commit yet: ${outcome.because}; ${what}`;
    throw new PressmarkError('COMMIT_FAILED', message);
  }

  /**
   * Commits a person's edit once its file has not changed for a while, as people save in steps. Without `commitEdits`, the file
   * may still have a delivered text that git lacks, such as one that was stashed before its commit.
   */
  function onChanged(path: string): void {
    if (isClosed) return;
    if (!commitEdits) {
      clearTimeout(changes);
      changes = setTimeout(comparison.request, stillMs).unref();
      return;
    }
    clearTimeout(edits.get(path));
    const add = () => {
      edits.delete(path);
      queue.add(path, 'edited');
    };
    edits.set(path, setTimeout(add, stillMs));
  }

  /** Commits the pending files and edits, and ends. @param pushRest is called after that. */
  async function close(pushRest: () => Promise<unknown> = async () => undefined): Promise<void> {
    const timer = setTimeout(() => stop.abort(), closeMs);
    isClosed = true; // the next start finds later edits
    await comparison.close();
    for (const [path, edit] of edits) {
      clearTimeout(edit);
      queue.add(path, 'edited');
    }
    const remaining = await queue.close();
    await idle();
    await pushRest();
    clearTimeout(timer);
    if (remaining > 0) log.warn({ articles: remaining }, 'not committed yet; the next start commits them');
  }

  /** Makes the plugin that commits. @param startPush starts pushes in the background. */
  const makePlugin = (startPush?: StartPush): Plugin =>
    definePlugin({
      name: 'git',
      async receiver(host) {
        if (!isBeforeAnswer) {
          host.addAction('article.published', ({ path, text }) => queue.add(path, 'stored', text));
          host.addAction('article.updated', ({ path, text }) => queue.add(path, 'stored', text));
        }
        host.addAction('article.created', ({ path }) => onChanged(path));
        host.addAction('article.edited', ({ path }) => onChanged(path));
        host.addAction('host.ready', comparison.start);
        const pushRest = await startPush?.(host, place);
        host.onClose(() => close(pushRest));
      },
    });

  /**
   * Returns a writer that commits the text that it replaces and, at level `commit`, the text that it has written. A written
   * file stays in any case; if its commit failed, it gets one later, and the sender's next attempt is answered with 200. A file
   * that an earlier delivery may have left without a commit gets one, too. While a rebase or the like is unfinished, an article
   * may be missing or at an earlier revision, so no update or lookup is refused for good.
   */
  const writerOver = (disk: Writer): Writer => ({
    ...disk,
    beforeReplace: ({ path, edited }) => beforeReplace(`${content}${path}`, edited),
    ...(isBeforeAnswer && {
      afterWrite: ({ path, text }, why) => commitNow(`${content}${path}`, text, why),
    }),
    async ensure(entry) {
      const fingerprint = await disk.ensure(entry);
      queue.add(`${content}${entry.path}`, 'found');
      return fingerprint;
    },
    beforeRefusal: () => refuseWhileUnfinished(repository),
  });

  return {
    makePlugin,
    writerOver,
    /** Commits a person's removal or restoration of a file; its path is relative to the site's folder. */
    commitTrash: (path: string): void => queue.add(path, 'trash'),
  };
}
