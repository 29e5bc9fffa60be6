import { posix } from 'node:path';
import { commitAt } from './object-names.js';
import type { Repository } from './repository.js';
import { isBlob, parentOf, treesAt } from './tree-objects.js';

/** How long a look into the whole history may take, in milliseconds; it may have a hundred thousand commits. */
export const HISTORY_MS = 300_000;

/** The blobs that a commit has at these paths; none before the first commit. */
export async function blobsAt(
  repository: Repository,
  commit: string | null,
  paths: Iterable<string>,
): Promise<Map<string, string>> {
  const wanted = new Set(paths);
  const blobs = new Map<string, string>();
  if (commit === null || wanted.size === 0) return blobs;
  const trees = await treesAt(repository, commit, [...wanted].map(parentOf));
  for (const path of wanted) {
    const entry = trees.get(parentOf(path))?.entry(posix.basename(path));
    if (entry !== undefined && isBlob(entry.mode)) blobs.set(path, entry.id);
  }
  return blobs;
}

/** The blobs of everything that a commit has in a folder, by path from the top of the work tree. */
export async function blobsBelow(
  { git }: Repository,
  commit: string | null,
  folder: string,
): Promise<Map<string, string>> {
  if (commit === null) return new Map();
  const { stdout } = await git([
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    commit,
    ...(folder === '' ? [] : ['--', folder]),
  ]);
  return parseTree(stdout);
}

/**
 * Every blob that the history behind a commit ever had at these paths, as `<blob> <path>`.
 *
 * @param since a commit whose own history need not be looked at, where the repository still has it.
 */
export async function blobsInHistory(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  since: string | null = null,
): Promise<Set<string>> {
  const isThere = since !== null && (await commitAt(repository, since)) !== null;
  const { stdout } = await repository.git(
    [
      'log',
      '--format=',
      '--raw',
      '-z',
      '--no-abbrev',
      '--no-renames',
      '--full-history',
      '--root',
      '-m',
      commit,
      ...(isThere ? [`^${since}`] : []),
      '--',
      ...paths,
    ],
    { timeoutMs: HISTORY_MS },
  );
  return new Set(parseRaw(stdout).map(({ path, newBlob }) => `${newBlob} ${path}`));
}

/** Those of some blobs that the repository has. */
export async function storedBlobs({ git }: Repository, blobs: readonly string[]): Promise<Set<string>> {
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname)'], {
    input: `${blobs.join('\n')}\n`,
  });
  return new Set(stdout.split('\n').filter((line) => !line.endsWith(' missing')));
}

/** One line of git's raw diff format. */
export interface RawChange {
  readonly path: string;
  readonly oldBlob: string;
  readonly newBlob: string;
}

/** Reads `--raw -z`: `:<mode> <mode> <blob> <blob> <status>`, then the path. */
export function parseRaw(output: string): RawChange[] {
  const changes: RawChange[] = [];
  const fields = output.split('\0');
  for (let index = 0; index + 1 < fields.length; index++) {
    // between the commits of a log stands an empty field or a line end
    const head = fields[index]?.trimStart() ?? '';
    if (!head.startsWith(':')) continue;
    const [, , oldBlob = '', newBlob = ''] = head.split(' ');
    changes.push({ path: fields[++index] ?? '', oldBlob, newBlob });
  }
  return changes;
}

function parseTree(output: string): Map<string, string> {
  const blobs = new Map<string, string>();
  for (const entry of output.split('\0')) {
    const tab = entry.indexOf('\t');
    const [, type, id] = entry.slice(0, tab).split(' ');
    if (type === 'blob' && id !== undefined) blobs.set(entry.slice(tab + 1), id);
  }
  return blobs;
}
