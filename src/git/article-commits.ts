import { PressmarkError } from '../errors.js';
import type { Hooks } from '../host/hooks.js';
import type { Log } from '../log.js';
import { type BeforeReplace, createBeforeReplace } from './commit/before-replace.js';
import { createCommitArticles } from './commit/commit-articles.js';
import { createCommitQueue } from './commit/commit-queue.js';
import { createComparison } from './commit/comparison.js';
import type { Person } from './commit/identity.js';
import { createMessages } from './commit/message.js';
import { interruptedFiles } from './commit/next-commits.js';
import type { ArticleText } from './commit/pending.js';
import { createReplacedFiles } from './commit/replaced-files.js';
import { removeStaleLocks } from './commit/stale-locks.js';
import { type ContentFolder, checkContentFolder } from './content-folder.js';
import { commitAt } from './objects.js';
import { FETCHED_REF } from './push/remote.js';
import { openRepository, type Repository } from './repository.js';

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
  /** Whether commits are signed with the owner's key and settings. @default false */
  readonly sign?: boolean;
}

/** Limits in milliseconds; `LIMITS_MS` has the defaults. */
export interface CommitLimits {
  /** For one git command. */
  readonly timeoutMs?: number;
  /** How long a file must not have changed before its edit is committed. @default 2000 */
  readonly stillMs?: number;
  /** How long an update waits for the commit of what it replaces: at level `disk` receiving never depends on git. */
  readonly replaceMs?: number;
  /** How long the stop waits for commits. @default 7000 */
  readonly closeMs?: number;
}

/** The limits, by durability level. */
const LIMITS_MS = {
  disk: { timeoutMs: 30_000, replaceMs: 2_000 },
  commit: { timeoutMs: 8_000, replaceMs: 8_000 },
};

/** How long git may take while an answer waits, in milliseconds; the service waits for 30 s. */
const ANSWER_MS = 8_000;

export interface ArticleCommitsOptions extends CommitSettings, CommitLimits {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** The content folder, relative to the site's folder; empty, or with a slash at its end. */
  readonly content: string;
  /** The environment that is handed on to git, without its GIT_* variables. */
  readonly env: NodeJS.Dict<string>;
  /** Whether answers wait for commits (durability `commit`). @default false */
  readonly isBeforeAnswer?: boolean;
  /** Whether the branch is pushed in the background, so that others' commits come into the work tree. @default false */
  readonly isPushed?: boolean;
  readonly hooks: Pick<Hooks, 'applyFilters' | 'doAction'>;
  readonly log: Log;
  /** Reads the text of an article's file (its path is relative to the site's folder); undefined where it is malformed. */
  decode(path: string, text: string): ArticleText | undefined;
  /** The files of an article, relative to the site's folder. */
  pathsOf(id: string): readonly string[];
  /** The state folder, absolute. */
  readonly stateDir: string;
  /** Where files are written before they get their name there; absolute. */
  readonly staging: string;
}

/** The commits of a site's articles; see `openArticleCommits`. Paths are relative to the site's folder. */
export interface ArticleCommits {
  readonly repository: Repository;
  /** From the top of the work tree to the content folder; empty, or with a slash at its end. */
  readonly folder: string;
  readonly author: Person | undefined;
  /** Reads the text of an article's file at a path from the top of the work tree; undefined where it is malformed. */
  decode(path: string, text: string): ArticleText | undefined;
  /** Aborted when the stop takes too long. */
  readonly signal: AbortSignal;
  readonly beforeReplace: BeforeReplace;
  /**
   * Commits an article that was stored and is not acknowledged yet. Its file stays as it was written in any case.
   *
   * @param isKnown whether an earlier delivery has stored it, so that its owner may have renamed or staged it since.
   * @throws PressmarkError COMMIT_FAILED where it has no commit; it gets one later, so that the sender's next attempt is
   *   answered with 200.
   */
  commitNow(path: string, isKnown: boolean): Promise<void>;
  /** Adds an article that was stored; it is committed in the background. */
  add(path: string): void;
  /** Adds a file whose text git may lack. */
  addFound(path: string): void;
  /** Adds a file that a person may have edited. */
  addEdit(path: string): void;
  /** From now on, what git lacks is looked for: now, every ten minutes, and when HEAD has moved. */
  start(): void;
  /**
   * Commits the pending commits, and ends.
   *
   * @param push called after that.
   */
  close(push?: () => Promise<unknown>): Promise<void>;
}

/**
 * Commits every publication and update to the git repository that the site is in: one commit each, of exactly that file.
 *
 * @returns undefined where nothing can be committed.
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
  const place = await checkContentFolder(found, content);
  if (place.kind === 'refused') {
    log.warn(`articles are not committed: the content folder: ${place.why}`);
    return undefined;
  }
  for (const lock of removeStaleLocks(found))
    log.warn({ lock }, 'removed a lock that a git of before the last start had left');
  const commits = createArticleCommits(found, place, stop, {
    ...options,
    replaceMs: options.replaceMs ?? limits.replaceMs,
  });
  // Before anything else is committed: its entries in the index must not pass for the owner's.
  for (const path of await interruptedFiles(found))
    if (path.startsWith(place.folder)) commits.addFound(`${content}${path.slice(place.folder.length)}`);
  return commits;
}

function createArticleCommits(
  repository: Repository,
  place: Extract<ContentFolder, { kind: 'inside' }>,
  stop: AbortController,
  options: ArticleCommitsOptions & { readonly replaceMs: number },
): ArticleCommits {
  const { hooks, log, stateDir, staging, content, author, commitEdits = false, sign = false } = options;
  const { isBeforeAnswer = false, isPushed = false, stillMs = 2_000, closeMs = 7_000 } = options;
  const message = createMessages({ hooks, log, template: options.message, skipCi: options.skipCi ?? false });
  const edits = new Map<string, NodeJS.Timeout>();
  let lastCommit: string | undefined;
  let isClosed = false;

  const commit = createCommitArticles({
    repository,
    content,
    place,
    log,
    author,
    sign,
    commitEdits,
    message,
    decode: options.decode,
    pathsOf: options.pathsOf,
    upstream: async () => (isPushed ? commitAt(repository, FETCHED_REF) : null),
    onCommitted: (made) => {
      lastCommit = made.commit;
      void hooks.doAction('git.committed', made);
    },
  });
  const queue = createCommitQueue(commit, log);
  const comparison = createComparison({
    repository,
    content,
    place,
    log,
    onUncommitted: (path) => queue.add(path, 'found'),
    isOwn: (last) => last !== null && last === lastCommit,
  });

  async function commitNow(path: string, isKnown: boolean): Promise<void> {
    const outcome = await queue.commitNow(path, isKnown ? 'found' : 'stored', ANSWER_MS);
    if (outcome.kind === 'committed') return;
    const what = outcome.kind === 'later' ? 'send it again when git works' : 'change that and send it again';
    const message = `the article is stored, but has no commit yet: ${outcome.because}; ${what}`;
    throw new PressmarkError('COMMIT_FAILED', message);
  }

  /** People save in steps: an edit is committed once its file has not changed for a while. */
  function addEdit(path: string): void {
    if (!commitEdits || isClosed) return;
    clearTimeout(edits.get(path));
    const add = () => {
      edits.delete(path);
      queue.add(path, 'edited');
    };
    edits.set(path, setTimeout(add, stillMs));
  }

  async function close(push: () => Promise<unknown> = async () => undefined): Promise<void> {
    const timer = setTimeout(() => stop.abort(), closeMs);
    isClosed = true; // the next start finds the edits that come from now on
    await comparison.close();
    for (const [path, edit] of edits) {
      clearTimeout(edit);
      queue.add(path, 'edited');
    }
    const remaining = await queue.close();
    await push();
    clearTimeout(timer);
    if (remaining > 0) log.warn({ articles: remaining }, 'not committed yet; the next start commits them');
  }

  return {
    repository,
    folder: place.folder,
    author,
    decode: (path, text) => options.decode(`${content}${path.slice(place.folder.length)}`, text),
    signal: stop.signal,
    beforeReplace: createBeforeReplace({
      repository,
      inRepository: (path) => `${place.folder}${path.slice(content.length)}`,
      queue,
      replaced: createReplacedFiles(stateDir, staging),
      log,
      isBeforeAnswer,
      limitMs: options.replaceMs,
    }),
    commitNow,
    add: (path) => queue.add(path, 'stored'),
    addFound: (path) => queue.add(path, 'found'),
    addEdit,
    start: comparison.start,
    close,
  };
}
