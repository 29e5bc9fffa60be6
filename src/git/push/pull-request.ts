import type { Article } from '../../article/article.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { messageOf, PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { backoff, createRepeatedTask } from '../../repeated-task.js';
import { branchName, readHead } from '../commit/head.js';
import { withoutCommands } from '../commit/message.js';
import type { CommittedFolder } from '../content-folder.js';
import { commitAt, contentsOf } from '../objects.js';
import type { Followed } from './follow.js';
import { BASE_REF, type FileInReview, filesInReview } from './in-review.js';
import type { PushStatusKeeper } from './push-status.js';
import { createRemote, FETCHED_REF, type RemoteSettings, remoteUrlOf } from './remote.js';
import {
  type Branches,
  createReviewHost,
  type PullRequest,
  type PullRequestText,
  type ReviewHostKind,
} from './review-host.js';

/** Settings for pull requests. */
export interface ReviewSettings {
  /** The branch on the remote that articles are pushed to. */
  readonly branch: string;
  readonly pullRequest: ReviewHostKind;
  /** The URL of the host's REST API. @default the API of the host in the remote's URL */
  readonly api?: string | undefined;
  /** Undefined if none is set, which is reported as an error. */
  readonly token: string | undefined;
}

export interface PullRequestOptions extends ReviewSettings, Pick<RemoteSettings, 'remote'> {
  readonly place: CommittedFolder;
  readonly env: NodeJS.Dict<string>;
  readonly status: PushStatusKeeper;
  readonly log: Log;
  /** Reads the text of an article's file, at a path relative to the site's folder; undefined if it is malformed. */
  decode(path: string, text: string): Promise<Pick<StoredArticle, 'article'> | undefined>;
  /** Makes the local branch follow a commit of the remote; see `follow`. */
  follow(commit: string, ref: string): Promise<Followed>;
  /** Called when the base branch has moved, and when the work tree has followed it. */
  onMerged(commit: string, base: string): void;
}

/** How long pushes are collected before the host is asked, in milliseconds. */
const GATHER_MS = 500;

/** How often the base branch is checked for merged articles, in milliseconds. */
const LOOK_EVERY_MS = 60_000;

/** The pauses after failures: the first and the longest, in milliseconds. */
const PAUSE_MS = { first: 1_000, longest: 600_000 };

/** How many articles a pull request lists. */
const MOST_LISTED = 100;

/** The longest title, in characters. */
const MOST_TITLE = 120;

/**
 * Keeps one pull request from the branch that articles are pushed to into HEAD's branch. It is opened when an article is in
 * review and none is open; its text lists the articles in review. After it was merged or closed, the next article opens another
 * one. Merged commits are brought into the work tree. Neither deliveries nor pushes wait for the host; a failure is logged
 * once, and tried again.
 */
export function keepPullRequest(options: PullRequestOptions) {
  const { place, branch, env, status, log, decode, follow, onMerged } = options;
  const { repository } = place;
  const closing = new AbortController();
  let commit: string | undefined;
  /** The state that the host was last given. */
  let told = '';
  /** The last commit of the base branch, and whether the work tree has followed it. */
  let merged = '';
  let isWaiting = false;

  async function attempt(): Promise<string | undefined> {
    try {
      return await bringUpToDate();
    } catch (error) {
      if (closing.signal.aborted) return undefined; // the request was stopped; the host is not to blame
      const reason = messageOf(error);
      report({ error: reason });
      return reason;
    }
  }

  /** @returns what a person has to do before the work tree can follow the base branch. */
  async function bringUpToDate(): Promise<string | undefined> {
    if (commit === undefined) return undefined;
    const { base, waitingFor } = await followBoth();
    const error = waitingFor === undefined ? null : `the work tree waits for ${waitingFor}`;
    const pushed = (await filesInReview(place, commit)) ?? [];
    // An article that a reviewer has changed was merged with another text than the pushed one.
    const left = (await filesInReview(place, await commitAt(repository, 'HEAD'))) ?? [];
    const files = pushed.filter(({ path }) => left.some((one) => one.path === path));
    const articles = await articlesOf(files);
    isWaiting = articles.length > 0;
    const text = textOf(articles);
    const now = JSON.stringify([base, commit, text]);
    if (isWaiting && now !== told) {
      const found = await opened({ head: branch, base }, text, files);
      report({ url: found?.url ?? null, error });
    } else report({ ...(!isWaiting && { url: null }), error });
    told = now;
    return error ?? undefined;
  }

  /**
   * Makes HEAD's branch follow the reviewed branch, as reviewers may commit to it, and then the remote's branch of the same name,
   * into which pull requests are merged. In the other order, a text that was changed and merged as one commit would conflict.
   */
  async function followBoth(): Promise<{ base: string; waitingFor: string | undefined }> {
    const head = await readHead(repository);
    if (head.kind === 'not now')
      throw new PressmarkError('GIT_FAILED', `the pull request waits for ${head.waitingFor}`);
    const base = branchName(head.ref);
    if (base === branch)
      throw new PressmarkError(
        'CONFIG_INVALID',
        `HEAD is on ${branch}, to which articles are pushed for review; switch to the branch that they are to be merged into`,
      );
    const reviewed = await fetched(branch, FETCHED_REF);
    if (reviewed.last !== null) await follow(reviewed.last, head.ref);
    const { last, name } = await fetched(base, BASE_REF);
    if (last === null)
      throw new PressmarkError('REMOTE_UNAVAILABLE', `${name} has no branch ${base}; push it first`);
    const followed = await follow(last, head.ref);
    const now = `${last} ${followed.kind}`;
    if (now !== merged) onMerged(last, base);
    merged = now;
    return { base, waitingFor: followed.kind === 'waiting' ? followed.waitingFor : undefined };
  }

  /** Fetches a branch of the remote. @returns its last commit, null if there is no such branch, and the remote's name. */
  async function fetched(name: string, into: string) {
    const from = await createRemote(repository, { remote: options.remote, branch: name, into }, env);
    return { last: await from.fetch(await commitAt(repository, into)), name: from.name };
  }

  async function articlesOf(files: readonly FileInReview[]): Promise<ArticleInReview[]> {
    const texts = await contentsOf(
      repository,
      files.map(({ entry }) => entry.id),
    );
    const articles: ArticleInReview[] = [];
    for (const { path, entry, isUpdate } of files) {
      const stored = await decode(place.inSite(path), texts.get(entry.id)?.toString('utf8') ?? '');
      if (stored !== undefined) articles.push({ article: stored.article, isUpdate });
    }
    return articles;
  }

  /** @returns the open pull request; undefined if it was closed and no article has come since. */
  async function opened(
    branches: Branches,
    text: PullRequestText,
    files: readonly FileInReview[],
  ): Promise<PullRequest | undefined> {
    const { remote, pullRequest: kind, api, token } = options;
    const remoteUrl = await remoteUrlOf(repository, remote);
    const host = createReviewHost({ kind, remoteUrl, api, token, signal: closing.signal });
    const found = await host.newest(branches);
    if (found?.isOpen) {
      if (found.title !== text.title || withoutEnds(found.body) !== withoutEnds(text.body))
        await host.update(found.number, text);
      return found;
    }
    const had = found && (await filesInReview(place, await commitAt(repository, found.commit)));
    if (had !== undefined && JSON.stringify(had) === JSON.stringify(files)) return undefined;
    // If another receiver opens it at this moment, the next attempt finds it.
    const made = await host.create(branches, text);
    log.info({ url: made.url }, 'pull request opened');
    return made;
  }

  function report(change: { url?: string | null; error: string | null }): void {
    status.set({ pullRequest: { url: null, ...status.now.pullRequest, ...change } });
  }

  function onChange(reason: string | undefined): void {
    if (reason === undefined) log.info('the pull request is up to date again');
    else log.warn({ reason }, 'the pull request could not be brought up to date; tried again later');
  }

  const retryMs = (failures: number) => backoff(failures, PAUSE_MS);
  const task = createRepeatedTask({ attempt, onChange, gatherMs: () => GATHER_MS, retryMs });
  const timer = setInterval(() => {
    if (isWaiting) task.request();
  }, LOOK_EVERY_MS).unref();

  return {
    /** Updates the pull request after a push of this commit. */
    pushed: (now: string): void => {
      commit = now;
      task.request();
    },
    close: async (): Promise<void> => {
      clearInterval(timer);
      closing.abort();
      await task.close();
    },
  };
}

/** An article in review. */
export interface ArticleInReview {
  readonly article: Pick<Article, 'title' | 'url'>;
  readonly isUpdate: boolean;
}

/**
 * Makes the pull request's title and body. Articles' titles are untrusted: in a code span they mention no user and close no
 * issue.
 */
export function textOf(articles: readonly ArticleInReview[]): PullRequestText {
  const [only, ...others] = articles;
  const count = `${articles.length} articles`;
  const title =
    others.length > 0 || only === undefined ? count : `Article: ${withoutCommands(titleOf(only))}`;
  const lines = articles
    .slice(0, MOST_LISTED)
    .map(
      (one) =>
        `- ${one.isUpdate ? 'Update' : 'New'}: \`${titleOf(one).replaceAll('`', '’')}\` (${one.article.url})`,
    );
  const rest = articles.length - lines.length;
  if (rest > 0) lines.push(`- and ${rest} more`);
  const body = `These articles wait for review. Each has a commit of its own, and is published when it is merged.\n\n${lines.join('\n')}\n\nPressmark keeps this list up to date.\n`;
  return { title, body };
}

function titleOf({ article }: ArticleInReview): string {
  // Cut first, as a title may have a million characters.
  const line =
    article.title
      .slice(0, 8 * MOST_TITLE)
      .replace(/[\s\p{C}]+/gu, ' ')
      .trim() || 'Untitled';
  return line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE - 1).toWellFormed()}…` : line;
}

/** Removes differences that a host may cause: line ends, and white space around the text. */
function withoutEnds(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}
