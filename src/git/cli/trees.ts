import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { commitAt } from './object-names.js';
import type { Repository } from './repository.js';
import { isBlob, parentOf, treesAt } from './tree-objects.js';

/** How long a look into the whole history may take, in milliseconds; it may have a hundred thousand commits. */
export const HISTORY_MS = 300_000;

/** So many paths are looked up without a pause: deliveries are being answered on this thread. */
const FOUND_AT_ONCE = 1_000;

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
  let count = 0;
  for (const path of wanted) {
    if (++count % FOUND_AT_ONCE === 0) await nextTurn();
    const entry = trees.get(parentOf(path))?.entry(posix.basename(path));
    if (entry !== undefined && isBlob(entry.mode)) blobs.set(path, entry.id);
  }
  return blobs;
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

/** One line of git's raw diff format. */
export interface RawChange {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
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
    if (head.startsWith(':')) changes.push(changeOf(head, fields[++index] ?? ''));
  }
  return changes;
}

function changeOf(head: string, path: string): RawChange {
  const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = head.slice(1).split(' ');
  return { path, oldMode, newMode, oldBlob, newBlob };
}

/** A commit as `git log -z --raw` tells of it. */
export interface LoggedCommit {
  /** What the format asked for, in its order. */
  readonly fields: readonly string[];
  readonly changes: readonly RawChange[];
}

/** The arguments of a log that names the blobs that each commit has changed; `parseLog` reads it. */
export const LOG_OF_BLOBS = ['log', '-z', '--raw', '--root', '--no-abbrev', '--no-renames'];

/** The format for `parseLog`: each of these placeholders, ended by NUL. */
export function logFormat(...placeholders: string[]): string {
  return `--format=${placeholders.map((placeholder) => `%${placeholder}%x00`).join('')}`;
}

/**
 * Reads what `git log -z --raw --no-abbrev` prints with such a format. The first field must be the commit's
 * name, which can begin like no line of a diff.
 */
export function parseLog(output: string, placeholders: number): LoggedCommit[] {
  const commits: LoggedCommit[] = [];
  const parts = output.split('\0');
  for (let at = 0; at + placeholders < parts.length; ) {
    const fields = parts.slice(at, at + placeholders);
    at += placeholders + 1; // an empty one ends the commit's own
    const changes: RawChange[] = [];
    for (; parts[at]?.trimStart().startsWith(':'); at += 2)
      changes.push(changeOf(parts[at]?.trimStart() ?? '', parts[at + 1] ?? ''));
    commits.push({ fields, changes });
  }
  return commits;
}
