import { messageOf } from '../errors.js';
import { findLockHelper } from '../fs/lock-helper.js';
import type { ArticleChange } from '../host/hook-types.js';
import { definePlugin, type Plugin, type PluginHost } from '../host/plugins.js';
import { type CommitContext, type CommitRequest, commitBatch } from './commit.js';
import { type Branch, type NotNow, readHead } from './head.js';
import type { Person } from './identity.js';
import { createIndexLocker } from './index-lock.js';
import { commitMessage, subjectIn, subjectOf } from './message.js';
import { placeFiles } from './placement.js';
import { createQueue, type Waiting } from './queue.js';
import { findUncommitted } from './recover.js';
import { openRepository, type Repository } from './repository.js';

/** An article's file as it stands. */
export interface StoredFile {
  /** The whole file. */
  readonly text: string;
  readonly articleId: string;
  readonly revision: string;
  readonly title: string;
  /** Whether the article has been replaced by an update since its publication. */
  readonly updated: boolean;
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
}

export interface GitPluginOptions {
  /** The site's folder, absolute. */
  readonly siteDir: string;
  /** Author and committer. @default what git is configured with, else `Pressmark <pressmark@localhost>` */
  readonly author?: Person;
  /** The environment that is handed on to git, without its GIT_* variables. */
  readonly env: NodeJS.Dict<string>;
  /**
   * How much text may wait for its commit in memory, in characters; what comes beyond it is read again from
   * its file, and has no commit of its own if the file has gone on by then. @default 64000000
   */
  readonly maxHeldText?: number;
  /** Reads an article's file (relative to the site's folder, forward slashes); undefined if there is none. */
  readStored(path: string): Promise<StoredFile | undefined>;
  /** The files of all articles, relative to the site's folder, for the check at start-up. */
  paths(): Iterable<string>;
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
  const found = await openRepository(options.siteDir, options.env, stop.signal);
  if ('because' in found) {
    log[found.unexpected ? 'warn' : 'info'](`articles are not committed: ${found.because}`);
    return;
  }
  const repository: Repository = found;
  if (repository.foreign)
    log.warn('the git repository belongs to another user; what is committed here belongs to root');

  const locker = createIndexLocker(repository.gitDir, findLockHelper(), log);
  const context: CommitContext = {
    repository,
    locker,
    log,
    signal: stop.signal,
    ...(options.author && { author: options.author }),
  };
  const refused = new Set<string>();

  function refuse(path: string, why: string): void {
    if (refused.has(why)) return;
    refused.add(why);
    log.warn({ path }, `the article is not committed: ${why}; said once, other articles may be meant too`);
  }

  /** What is to be committed for a change; undefined where nothing is left of it. */
  async function requestOf(change: Waiting, path: string): Promise<CommitRequest | undefined> {
    const before = change.before ?? null;
    if (change.text !== undefined && change.message !== undefined)
      return { path, before, text: change.text, message: await change.message };
    const file = await options.readStored(change.path);
    if (file === undefined || !file.pristine || (change.revision ?? file.revision) !== file.revision) {
      log.debug({ path: change.path }, 'no commit: the file holds something else by now');
      return undefined;
    }
    const subject = subjectOf(change.kind, file.title);
    const message = (await change.message) ?? commitMessage(subject, subject, file);
    return { path, before, text: file.text, message };
  }

  async function commit(batch: readonly Waiting[], branch: Branch): Promise<NotNow | undefined> {
    const began = performance.now();
    const places = await placeFiles(
      repository,
      batch.map(({ path }) => path),
    );
    const taken: { request: CommitRequest; path: string }[] = [];
    for (const change of batch) {
      const place = places.get(change.path);
      if (place === undefined) continue;
      if ('refused' in place) {
        refuse(change.path, place.refused);
        continue;
      }
      const request = await requestOf(change, place.inRepository);
      if (request !== undefined) taken.push({ request, path: change.path });
    }
    if (taken.length === 0) return undefined;
    const result = await commitBatch(
      taken.map(({ request }) => request),
      branch,
      context,
    );
    if ('waitingFor' in result) return result;
    let count = 0;
    for (const [index, { request, path }] of taken.entries()) {
      const name = result.commits[index];
      if (name === undefined) {
        log.debug({ path }, 'no commit: the branch has it, or something newer');
        continue;
      }
      count++;
      void host.doAction('git.committed', { commit: name, path, subject: subjectIn(request.message) });
    }
    log.info({ commits: count, ms: Math.round(performance.now() - began) }, 'committed');
    return undefined;
  }

  async function messageFor(change: ArticleChange): Promise<string> {
    const { article } = change;
    const subject = subjectOf(change.event === 'article.published' ? 'Publish' : 'Update', article.title);
    let text = subject;
    try {
      text = await host.applyFilters('git.message', subject, change);
    } catch (error) {
      log.warn({ path: change.path }, `the commit keeps its own message: ${messageOf(error)}`);
    }
    return commitMessage(text, subject, { articleId: article.id, revision: article.revision });
  }

  const queue = createQueue(
    {
      look: () => readHead(repository),
      commit,
      async recover(signal) {
        await locker.sweep();
        return findUncommitted(repository, options.paths(), signal);
      },
    },
    log,
    options.maxHeldText ?? 64_000_000,
  );

  function add(change: ArticleChange): void {
    queue.add({
      path: change.path,
      kind: change.event === 'article.published' ? 'Publish' : 'Update',
      text: change.text,
      revision: change.article.revision,
      message: messageFor(change),
      before: undefined,
    });
  }
  host.addAction('article.published', add);
  host.addAction('article.updated', add);
  host.addAction('host.ready', () => queue.recover());
  host.onClose(async () => {
    const timer = setTimeout(() => stop.abort(), CLOSE_MS);
    const left = await queue.close();
    clearTimeout(timer);
    await locker.close();
    if (left > 0) log.warn({ articles: left }, 'not committed yet; the next start commits them');
  });
}
