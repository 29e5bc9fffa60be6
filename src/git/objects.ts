import { createHash } from 'node:crypto';
import type { Repository } from './repository.js';

/** A file in a commit or in the index. */
export interface TreeEntry {
  /** Such as `100644`. */
  readonly mode: string;
  /** The name of the object with the content. */
  readonly id: string;
}

/** The mode of an ordinary file. */
export const FILE = '100644';

/** Whether a mode is a file's, executable or not. */
export function isFile(mode: string): boolean {
  return mode === FILE || mode === '100755';
}

/**
 * Returns the name of a commit; null if there is none.
 *
 * @param name such as `HEAD` or `refs/heads/main`.
 * @throws PressmarkError GIT_FAILED.
 */
export async function commitAt({ git }: Pick<Repository, 'git'>, name: string): Promise<string | null> {
  const { code, stdout } = await git(['rev-parse', '-q', '--verify', `${name}^{commit}`], { accept: [1] });
  return code === 0 ? stdout.trim() : null;
}

/** More paths than this may not fit on a command line; then all paths are listed and filtered here. */
export const MOST_PATHS = 1_000;

/**
 * Returns the entries of a commit at these paths, by path. Folders have entries only for up to `MOST_PATHS` paths.
 *
 * @param commit null before the first commit.
 * @param paths from the top of the work tree.
 */
export async function entriesAt(
  { git }: Pick<Repository, 'git'>,
  commit: string | null,
  paths: readonly string[],
): Promise<Map<string, TreeEntry>> {
  if (commit === null || paths.length === 0) return new Map();
  const which = paths.length > MOST_PATHS ? ['-r', commit] : [commit, '--', ...paths];
  const { stdout } = await git(['ls-tree', '-z', '--full-tree', ...which]);
  const wanted = new Set(paths);
  const entries = new Map<string, TreeEntry>();
  for (const line of stdout.split('\0')) {
    const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    if (wanted.has(path)) entries.set(path, { mode, id });
  }
  return entries;
}

/** A path at which two commits differ. */
export interface TreeChange {
  /** From the top of the work tree. */
  readonly path: string;
  /** The blob before the change; zeros for none. */
  readonly before: string;
  /** Null if the path was removed. */
  readonly after: TreeEntry | null;
}

/**
 * Returns the paths at which two commits differ, in a folder or everywhere.
 *
 * @param from null for "before the first commit".
 */
export async function changesBetween(
  repository: Pick<Repository, 'git' | 'objectFormat'>,
  from: string | null,
  to: string,
  folder = '',
): Promise<TreeChange[]> {
  const within = folder === '' ? [] : ['--', folder];
  const trees = [from ?? emptyTree(repository), to];
  const { stdout } = await repository.git([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    ...trees,
    ...within,
  ]);
  return changesIn(stdout);
}

/** Reads `--raw -z` of a diff command: `:<mode> <mode> <blob> <blob> <status>`, then the path, for each change. */
export function changesIn(raw: string): TreeChange[] {
  const changes: TreeChange[] = [];
  const parts = raw.split('\0');
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', before = '', id = ''] = parts[at]?.split(' ') ?? [];
    changes.push({ path: parts[at + 1] ?? '', before, after: mode === '000000' ? null : { mode, id } });
  }
  return changes;
}

/** Whether `ancestor` is in the history of `commit`; false if one of them is no longer in the repository. */
export async function isAncestor(
  { git }: Pick<Repository, 'git'>,
  ancestor: string,
  commit: string,
): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', ancestor, commit], { accept: [1, 128] })).code === 0;
}

/** Returns the contents of blobs, by name. Missing blobs are left out. */
export async function contentsOf(
  { git }: Pick<Repository, 'git'>,
  ids: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const asked = [...new Set(ids)];
  if (asked.length === 0) return contents;
  const { bytes } = await git(['cat-file', '--batch'], { input: asked.map((id) => `${id}\n`).join('') });
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    const [id = '', type, size] = bytes.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') continue;
    contents.set(id, bytes.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}

/** Returns git's name for a file's content, if no filter changes it. */
export function blobId({ objectFormat }: Pick<Repository, 'objectFormat'>, content: Buffer): string {
  return objectId(objectFormat, 'blob', content);
}

/** Returns the name that means "no object". */
export function noObject({ objectFormat }: Pick<Repository, 'objectFormat'>): string {
  return '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
}

/** Returns the name of the empty tree, which represents "before the first commit". */
function emptyTree({ objectFormat }: Pick<Repository, 'objectFormat'>): string {
  return objectId(objectFormat, 'tree', Buffer.alloc(0));
}

function objectId(format: string, type: string, content: Buffer): string {
  return createHash(format).update(`${type} ${content.length}\0`).update(content).digest('hex');
}
