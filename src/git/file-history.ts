import { gitLog } from './cli/history.js';
import { commitAt } from './cli/objects.js';
import type { Repository } from './cli/repository.js';
import { trailerValue } from './commit/message.js';
import type { Authored } from './commit/write-commits.js';

/** A commit of an article's file. */
export interface FileCommit {
  readonly commit: string;
  readonly author: Authored;
  readonly subject: string;
  /** From the top of the work tree, as it was called then. */
  readonly path: string;
  /** Undefined where the commit removed it. */
  readonly blob: string | undefined;
}

/**
 * The commits of an article's file, newest first: those at its path, and at the paths where commits with its
 * id have been.
 *
 * @param path from the top of the work tree.
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOf(
  repository: Repository,
  path: string,
  articleId: string,
): Promise<FileCommit[]> {
  if ((await commitAt(repository, 'HEAD')) === null) return [];
  const trailer = trailerValue(articleId).replace(/[\\.*[\]^$]/g, '\\$&');
  const named = await gitLog(repository, [], '--basic-regexp', `--grep=^Article-Id: ${trailer}$`);
  const others = named.flatMap(({ changes }) => changes.map((change) => change.path));
  const paths = new Set([path, ...others.filter((name) => /\.(?:md|markdown|html)$/.test(name))]);
  const commits = await gitLog(repository, ['an', 'ae', 'at', 's'], '--', ...paths);
  return commits.flatMap(({ commit, fields, changes }) => {
    const [name = '', email = '', seconds = '', subject = ''] = fields;
    // a move is two changes: what it was moved to tells more
    const change = changes.find(({ after }) => after !== null) ?? changes[0];
    if (change === undefined) return [];
    const author = { name, email, seconds: Number(seconds) };
    return [{ commit, author, subject, path: change.path, blob: change.after?.id }];
  });
}

/** The text of a committed file as it would be checked out. */
export async function textOf({ git }: Repository, { path, blob }: FileCommit): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  return (await git(['cat-file', '--filters', `--path=${path}`, blob])).stdout;
}
