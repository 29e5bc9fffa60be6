import type { GitRun } from './git.js';
import { MOST_PATHS, type TreeEntry } from './objects.js';
import type { Repository } from './repository.js';

/** A file that differs between HEAD, the index and the work tree. */
export interface FileStatus {
  /** Undefined if HEAD lacks the file. */
  readonly head: TreeEntry | undefined;
  /** Undefined if the index lacks the file. */
  readonly index: TreeEntry | undefined;
  /** Whether the work tree has the file. */
  readonly isThere: boolean;
}

/** The result of `git status`. Paths are from the top of the work tree. */
export interface Status {
  /** HEAD's commit; null before the first. Git reads it before the files. */
  readonly tip: string | null;
  readonly files: ReadonlyMap<string, FileStatus>;
  /**
   * The given paths that git ignores; empty for the whole work tree and for more than `MOST_PATHS` paths. A path in the index is
   * never ignored.
   */
  readonly ignored: ReadonlySet<string>;
}

/** Options for `statusOf`. */
export interface StatusRun extends Pick<GitRun, 'timeoutMs' | 'background' | 'env'> {
  /** Whether untracked files are listed. @default true */
  readonly untracked?: boolean;
}

const COMMAND = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=all'];

/** The entry of a path with merge conflicts; it equals no other. */
const CONFLICT: TreeEntry = { mode: 'conflict', id: 'conflict' };

/**
 * Compares HEAD, the index and the work tree with one command.
 *
 * @param paths files, or one folder; none for the whole work tree. For more than `MOST_PATHS`, the result is for all files.
 */
export async function statusOf(
  { git }: Pick<Repository, 'git'>,
  paths: readonly string[],
  { untracked = true, ...run }: StatusRun = {},
): Promise<Status> {
  const isAll = paths.length === 0 || paths.length > MOST_PATHS;
  const which = [`-u${untracked ? 'all' : 'no'}`, ...(isAll ? [] : ['--ignored', '--', ...paths])];
  const { stdout } = await git([...COMMAND, ...which], run);
  const files = new Map<string, FileStatus>();
  const ignored = new Set<string>();
  let tip: string | null = null;
  for (const line of stdout.split('\0')) {
    const words = line.split(' ');
    const rest = (count: number) => words.slice(count).join(' ');
    const entry = (mode: number, id: number) => entryOf(words[mode], words[id]);
    if (line.startsWith('# branch.oid ')) tip = words[2] === '(initial)' ? null : rest(2);
    else if (words[0] === '1')
      files.set(rest(8), { head: entry(3, 6), index: entry(4, 7), isThere: entry(5, 6) !== undefined });
    else if (words[0] === 'u')
      files.set(rest(10), { head: entry(4, 8), index: CONFLICT, isThere: entry(6, 8) !== undefined });
    // A file that was removed only from the index is listed twice.
    else if (words[0] === '?')
      files.set(rest(1), { head: undefined, index: undefined, ...files.get(rest(1)), isThere: true });
    else if (words[0] === '!') ignored.add(rest(1));
  }
  return { tip, files, ignored };
}

function entryOf(mode = '', id = ''): TreeEntry | undefined {
  return mode === '000000' ? undefined : { mode, id };
}
