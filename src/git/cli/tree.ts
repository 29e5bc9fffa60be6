import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import { contentsOf, objectsNamed } from './objects.js';
import type { Repository } from './repository.js';

/** What a tree has under a name. */
export interface TreeEntry {
  /** `FILE` or `100755` (files), `120000` (symbolic link), `160000` (submodule), or `FOLDER`. */
  readonly mode: string;
  /** The object's name. */
  readonly id: string;
}

/** The mode of a file that is not executable. */
export const FILE = '100644';
/** The mode of a folder in a tree object. */
export const FOLDER = '40000';
/** The mode of a submodule. */
export const SUBMODULE = '160000';

/** So many paths are looked up without a pause: deliveries are being answered on this thread. */
const FOUND_PER_TURN = 1_000;

/** Whether a mode is that of a regular file. */
export function isFile(mode: string): boolean {
  return mode.startsWith('100');
}

/** The bytes of a tree object that a change of one entry has replaced. */
export interface TreeEdit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Buffer;
}

/** One folder of a commit, as git's tree object has it. */
export interface Tree {
  readonly content: Buffer;
  entry(name: string): TreeEntry | undefined;
  /**
   * Sets an entry, in place of any file or folder of this name.
   *
   * @returns undefined where more than one place of `content` has changed.
   */
  put(name: string, entry: TreeEntry): TreeEdit | undefined;
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads a tree object: a row `<mode> <name>`, NUL and the bytes of an object name for each entry, in the order of the
 * names. The name of a folder counts as if it ended in a slash.
 */
export function treeOf({ objectFormat }: Pick<Repository, 'objectFormat'>, original: Buffer): Tree {
  const idLength = objectFormat === 'sha256' ? 32 : 20;
  let content = original;
  /** Where each row begins: a folder may have thousands, and is searched by halves. */
  const starts: number[] = [];
  for (let at = 0; at < content.length; at = content.indexOf(0, at) + 1 + idLength) starts.push(at);

  function rowAt(row: number) {
    const at = starts[row] ?? content.length;
    const space = content.indexOf(' ', at);
    const end = content.indexOf(0, space);
    // Some programs write `040000`, which git accepts.
    const mode = content.toString('latin1', at, space).replace(/^0+/, '');
    return { mode, name: content.subarray(space + 1, end), end: end + 1 + idLength };
  }

  /** The row that has this name, or the one before which it belongs. */
  function find(name: string, isFolder: boolean): { row: number; isThere: boolean } {
    const wanted = Buffer.from(isFolder ? `${name}/` : name);
    let [low, high] = [0, starts.length];
    while (low < high) {
      const row = (low + high) >> 1;
      const { mode, name } = rowAt(row);
      const order = wanted.compare(mode === FOLDER ? Buffer.concat([name, SLASH]) : name);
      if (order === 0) return { row, isThere: true };
      if (order > 0) low = row + 1;
      else high = row;
    }
    return { row: low, isThere: false };
  }

  function entry(name: string): TreeEntry | undefined {
    const found = [find(name, false), find(name, true)].find(({ isThere }) => isThere);
    if (found === undefined) return undefined;
    const { mode, end } = rowAt(found.row);
    return { mode, id: content.toString('hex', end - idLength, end) };
  }

  function put(name: string, { mode, id }: TreeEntry): TreeEdit | undefined {
    const other = find(name, mode !== FOLDER);
    if (other.isThere) replace(other.row, true, NOTHING);
    const { row, isThere } = find(name, mode === FOLDER);
    const line = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
    const edit = replace(row, isThere, line);
    return other.isThere ? undefined : edit;
  }

  /** Replaces a row, or inserts one before it. */
  function replace(row: number, isThere: boolean, inserted: Buffer): TreeEdit {
    const at = starts[row] ?? content.length;
    const removed = isThere ? rowAt(row).end - at : 0;
    content = Buffer.concat([content.subarray(0, at), inserted, content.subarray(at + removed)]);
    starts.splice(row, isThere ? 1 : 0, ...(inserted.length > 0 ? [at] : []));
    const moved = inserted.length - removed;
    const next = row + (inserted.length > 0 ? 1 : 0);
    for (let after = next; after < starts.length; after++) starts[after] = (starts[after] ?? 0) + moved;
    return { at, removed, inserted };
  }

  return {
    get content() {
      return content;
    },
    entry,
    put,
  };
}

const SLASH = Buffer.from('/');

/**
 * The trees of these folders in a commit, and of all folders above them, by path from the top of the work tree; without
 * those that it does not have.
 *
 * @throws PressmarkError GIT_FAILED where the repository lacks the commit.
 */
export async function treesAt(
  repository: Repository,
  commit: string,
  folders: Iterable<string>,
): Promise<Map<string, Tree>> {
  const wanted = new Set<string>();
  for (const folder of folders)
    for (let at = folder; at !== '' && !wanted.has(at); at = parentOf(at)) wanted.add(at);
  const [root] = await objectsNamed(repository, [`${commit}^{tree}`]);
  if (root === undefined) throw new PressmarkError('GIT_FAILED', `the repository lacks the commit ${commit}`);
  const { trees: cache } = repository;
  const trees = new Map<string, Tree>();
  let level = new Map([['', root.id]]);
  while (level.size > 0) {
    const ids = new Set(level.values());
    const contents = new Map<string, Buffer>();
    // Held from here on: the cache may forget them while others are read.
    for (const id of ids) {
      const known = cache.get(id);
      if (known !== undefined) contents.set(id, known);
    }
    const read = await contentsOf(
      repository,
      [...ids].filter((id) => !contents.has(id)),
    );
    for (const [id, content] of read) {
      contents.set(id, content);
      cache.set(id, content);
    }
    for (const [folder, id] of level) {
      const content = contents.get(id);
      if (content === undefined)
        throw new PressmarkError('GIT_FAILED', `the repository lacks the tree ${id}`);
      trees.set(folder, treeOf(repository, content));
    }
    const next = new Map<string, string>();
    for (const folder of wanted) {
      const entry = level.has(parentOf(folder))
        ? trees.get(parentOf(folder))?.entry(posix.basename(folder))
        : undefined;
      if (entry?.mode === FOLDER) next.set(folder, entry.id);
    }
    level = next;
  }
  return trees;
}

/** The files and symbolic links that a commit has at these paths; none before the first commit. */
export async function filesAt(
  repository: Repository,
  commit: string | null,
  paths: Iterable<string>,
): Promise<Map<string, TreeEntry>> {
  const wanted = new Set(paths);
  const files = new Map<string, TreeEntry>();
  if (commit === null || wanted.size === 0) return files;
  const trees = await treesAt(repository, commit, [...wanted].map(parentOf));
  let count = 0;
  for (const path of wanted) {
    if (++count % FOUND_PER_TURN === 0) await nextTurn();
    const entry = trees.get(parentOf(path))?.entry(posix.basename(path));
    if (entry !== undefined && (isFile(entry.mode) || entry.mode === '120000')) files.set(path, entry);
  }
  return files;
}

/** The blobs of `filesAt`. */
export async function blobsAt(...args: Parameters<typeof filesAt>): Promise<Map<string, string>> {
  const files = await filesAt(...args);
  return new Map([...files].map(([path, { id }]) => [path, id]));
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
    const [mode = '', , id] = entry.slice(0, tab).split(' ');
    if (id !== undefined && isFile(mode)) files.set(entry.slice(tab + 1), id);
  }
  return files;
}

/** The folder of a path; the top is ''. */
export function parentOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}
