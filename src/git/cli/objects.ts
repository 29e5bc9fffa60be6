import { emptyTree, type Repository } from './repository.js';
import { parseRaw } from './trees.js';

/** What changed at one path between two commits. */
export interface TreeChange {
  /** From the top of the work tree. */
  readonly path: string;
  /** Null where the path was not there. */
  readonly before: TreeItem | null;
  /** Null where the path is not there any more. */
  readonly after: TreeItem | null;
}

/** What a commit has at a path. */
export interface TreeItem {
  /** `100644`, `100755` (files), `120000` (symbolic link) or `160000` (submodule). */
  readonly mode: string;
  /** The object's name. */
  readonly id: string;
}

/** The regular files of a commit in a folder, by path from the top of the work tree. */
export async function filesBelow(
  { git }: Repository,
  commit: string,
  folder: string,
): Promise<Map<string, string>> {
  const within = folder === '' ? [] : ['--', folder];
  const { stdout } = await git(['ls-tree', '-r', '-z', '--full-tree', commit, ...within]);
  const files = new Map<string, string>();
  for (const entry of stdout.split('\0')) {
    const tab = entry.indexOf('\t');
    const [mode, , id] = entry.slice(0, tab).split(' ');
    if (id !== undefined && isFile(mode ?? '')) files.set(entry.slice(tab + 1), id);
  }
  return files;
}

/** Whether a mode is that of a regular file. */
export function isFile(mode: string): boolean {
  return mode === '100644' || mode === '100755';
}

/** What differs between two commits, in a folder or everywhere; null stands for "before the first commit". */
export async function changesBetween(
  repository: Repository,
  from: string | null,
  to: string,
  folder = '',
): Promise<TreeChange[]> {
  const { stdout } = await repository.git([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    from ?? emptyTree(repository),
    to,
    ...(folder === '' ? [] : ['--', folder]),
  ]);
  const item = (mode: string, id: string): TreeItem | null => (mode === '000000' ? null : { mode, id });
  return parseRaw(stdout).map(({ path, oldMode, newMode, oldBlob, newBlob }) => ({
    path,
    before: item(oldMode, oldBlob),
    after: item(newMode, newBlob),
  }));
}

/** Whether the history behind `commit` holds `ancestor`. */
export async function isAncestor({ git }: Repository, ancestor: string, commit: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', ancestor, commit], { accept: [1] })).code === 0;
}
