import { PressmarkError } from '../../errors.js';
import type { IsLast } from './conversation.js';
import { emptyTree, type Repository } from './repository.js';

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
  const changes: TreeChange[] = [];
  const fields = stdout.split('\0');
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[index] ?? '').slice(1).split(' ');
    changes.push({
      path: fields[index + 1] ?? '',
      before: oldMode === '000000' ? null : { mode: oldMode, id: oldId },
      after: newMode === '000000' ? null : { mode: newMode, id: newId },
    });
  }
  return changes;
}

/** Whether the history behind `commit` holds `ancestor`. */
export async function isAncestor({ git }: Repository, ancestor: string, commit: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', ancestor, commit], { accept: [1] })).code === 0;
}

/**
 * The contents of objects, by their names.
 *
 * @throws PressmarkError GIT_FAILED where one is missing.
 */
export async function contentsOf(
  { ask }: Pick<Repository, 'ask'>,
  ids: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(ids)];
  const contents = new Map<string, Buffer>();
  if (wanted.length === 0) return contents;
  const question = wanted.map((id) => `${id}\n`).join('');
  const answer = await ask(['cat-file', '--batch'], question, objects(wanted.length));
  let at = 0;
  for (const id of wanted) {
    const end = answer.indexOf('\n', at);
    const size = sizeIn(answer.toString('latin1', at, end));
    if (size === undefined) throw new PressmarkError('GIT_FAILED', `the repository lacks the object ${id}`);
    at = end + 1 + size + 1;
    // a copy: the whole answer must not be kept for one object of it
    contents.set(id, Buffer.from(answer.subarray(end + 1, at - 1)));
  }
  return contents;
}

/** The size in a line `<object> <type> <size>`; undefined where it says that there is no such object. */
function sizeIn(line: string): number | undefined {
  const [, size] = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(line) ?? [];
  return size === undefined ? undefined : Number(size);
}

/** An answer of so many objects: each is a line, and where that has a size, so many bytes and a line end. */
function objects(count: number): IsLast {
  let left = count;
  let line = '';
  let bytes = 0;
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (bytes > 0) {
        const step = Math.min(bytes, piece.length - at);
        bytes -= step;
        at += step;
        if (bytes === 0) left--;
        continue;
      }
      const end = piece.indexOf('\n', at);
      line += piece.toString('latin1', at, end === -1 ? piece.length : end);
      if (end === -1) break;
      const size = sizeIn(line);
      line = '';
      at = end + 1;
      if (size === undefined) left--;
      else bytes = size + 1;
    }
    return left <= 0;
  };
}
