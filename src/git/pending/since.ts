import { logFormat, parseLog } from '../cli/log-output.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt, HISTORY_MS } from '../cli/trees.js';

/** What has become of a path since a commit. */
export interface Since {
  /** Its blob at that commit; undefined where it had none. */
  readonly before: string | undefined;
  /** What was committed there after it, in any order. */
  readonly changes: readonly { readonly blob: string; readonly isOurs: boolean }[];
}

/**
 * What was committed at a path after a commit; only those commits are looked at, however long the history is.
 *
 * @param commit null before the first.
 * @param tip null before the first.
 * @param path from the top of the work tree.
 * @returns undefined where that cannot be told: the commit is unknown, or is in the repository no more.
 */
export async function changesSince(
  repository: Repository,
  commit: string | null | undefined,
  tip: string | null,
  path: string,
): Promise<Since | undefined> {
  if (commit === undefined) return undefined;
  if (tip === null) return commit === null ? { before: undefined, changes: [] } : undefined;
  const { git } = repository;
  const options = { accept: [1, 128] };
  const isThere =
    commit === null || (await git(['cat-file', '-e', `${commit}^{commit}`], options)).code === 0;
  if (!isThere) return undefined;
  const before = (await blobsAt(repository, commit, [path])).get(path);
  const range = commit === null ? [tip] : [tip, `^${commit}`];
  const format = logFormat('H', 'B');
  const { stdout } = await git(
    ['log', '-z', '--raw', '--root', '-m', '--no-abbrev', '--no-renames', format, ...range, '--', path],
    { timeoutMs: HISTORY_MS },
  );
  const changes = parseLog(stdout, 2).flatMap(({ fields: [, message = ''], changes: made }) =>
    made.map(({ newBlob }) => ({ blob: newBlob, isOurs: isOurs(message) })),
  );
  return { before, changes };
}

/** Whether a commit is one of Pressmark's, by its trailers. */
function isOurs(message: string): boolean {
  return /^Article-Id: .*\nRevision-Id: .*$/m.test(message);
}
