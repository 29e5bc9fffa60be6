import { trailerValue } from '../commit/message.js';
import type { Authored } from '../commit/write-commits.js';
import type { Repository } from './repository.js';
import { HISTORY_MS, LOG_OF_BLOBS, logFormat, parseLog } from './trees.js';

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
  const { git } = repository;
  if ((await git(['rev-parse', '-q', '--verify', 'HEAD'], { accept: [1] })).code !== 0) return [];
  const trailer = trailerValue(articleId).replace(/[\\.*[\]^$]/g, '\\$&');
  const named = await git(
    ['log', '--format=', '--name-only', '-z', '--basic-regexp', `--grep=^Article-Id: ${trailer}$`],
    { timeoutMs: HISTORY_MS },
  );
  const paths = new Set([
    path,
    ...named.stdout.split(/[\0\n]/).filter((name) => /\.(?:md|markdown|html)$/.test(name)),
  ]);
  const { stdout } = await git([...LOG_OF_BLOBS, logFormat('H', 'an', 'ae', 'at', 's'), '--', ...paths], {
    timeoutMs: HISTORY_MS,
  });
  return parseLog(stdout, 5).flatMap(({ fields, changes }) => {
    const [commit = '', name = '', email = '', seconds = '', subject = ''] = fields;
    // a move is two changes: what it was moved to tells more
    const change = changes.find(({ newBlob }) => !isNothing(newBlob)) ?? changes[0];
    if (change === undefined) return [];
    const author = { name, email, seconds: Number(seconds) };
    const blob = isNothing(change.newBlob) ? undefined : change.newBlob;
    return [{ commit, author, subject, path: change.path, blob }];
  });
}

/** The text of a committed file as it would be checked out. */
export async function textOf({ git }: Repository, { path, blob }: FileCommit): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  return (await git(['cat-file', '--filters', `--path=${path}`, blob])).stdout;
}

function isNothing(blob: string): boolean {
  return /^0+$/.test(blob);
}
