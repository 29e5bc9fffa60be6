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
 * The commits of an article's file, parked and on the branch, newest first: those at its path, and at the paths where
 * commits with its id have been. A parked commit comes before those of the branch that have the same second.
 *
 * @param path from the top of the work tree.
 * @throws PressmarkError GIT_FAILED.
 */
export async function historyOf(
  repository: Repository,
  path: string,
  articleId: string,
): Promise<FileCommit[]> {
  const found = await Promise.all([repository.parkedRef, 'HEAD'].map((name) => commitAt(repository, name)));
  const tips = found.filter((tip) => tip !== null);
  if (tips.length === 0) return [];
  const trailer = trailerValue(articleId).replace(/[\\.*[\]^$]/g, '\\$&');
  const named = await gitLog(repository, [], '--basic-regexp', `--grep=^Article-Id: ${trailer}$`, ...tips);
  const others = named.flatMap(({ changes }) => changes.map((change) => change.path));
  const paths = [...new Set([path, ...others.filter((name) => /\.(?:md|markdown|html)$/.test(name))])];
  const histories = await Promise.all(tips.map((tip) => commitsAt(repository, tip, paths)));
  return histories.reduce((newer, older) => mergeHistories(newer, older, ({ author }) => author.seconds));
}

/**
 * Merges two histories, each newest first, into one. Each keeps its order, whatever its times say: a rebase keeps the
 * authors' times, and clocks differ. Of two versions of the same time, that of `newer` comes first.
 */
export function mergeHistories<T>(
  newer: readonly T[],
  older: readonly T[],
  timeOf: (version: T) => number,
): T[] {
  const merged: T[] = [];
  let rest = older;
  for (const version of newer) {
    const end = rest.findIndex((other) => timeOf(other) <= timeOf(version));
    const before = end === -1 ? rest : rest.slice(0, end);
    merged.push(...before, version);
    rest = rest.slice(before.length);
  }
  return [...merged, ...rest];
}

async function commitsAt(
  repository: Repository,
  tip: string,
  paths: readonly string[],
): Promise<FileCommit[]> {
  const commits = await gitLog(repository, ['an', 'ae', 'at', 's'], '--topo-order', tip, '--', ...paths);
  return commits.flatMap(({ commit, fields, changes }) => {
    const [name = '', email = '', seconds = '', subject = ''] = fields;
    // a move is two changes: the new path says more
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
