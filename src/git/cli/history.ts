import { commitAt } from './objects.js';
import { emptyTree, type Repository } from './repository.js';
import type { TreeEntry } from './tree.js';

/** What changed at one path between two trees, of commits or of a commit and the index. */
export interface TreeChange {
  /** From the top of the work tree. */
  readonly path: string;
  /** Null where the path was not there. */
  readonly before: TreeEntry | null;
  /** Null where the path is not there any more. */
  readonly after: TreeEntry | null;
}

/** A commit as `git log` prints it. */
export interface LoggedCommit {
  readonly commit: string;
  /** The values of the placeholders. */
  readonly fields: readonly string[];
  readonly changes: readonly TreeChange[];
}

/** How long a look into the whole history may take, in milliseconds; it may have a hundred thousand commits. */
const HISTORY_MS = 300_000;

const RAW = ['--raw', '-z', '--no-abbrev', '--no-renames'];

/**
 * The changes that a diff command prints.
 *
 * @param command such as `diff-index`, with its options.
 */
export async function rawDiff(
  { git }: Pick<Repository, 'git'>,
  command: readonly string[],
  ...operands: readonly string[]
): Promise<TreeChange[]> {
  const { stdout } = await git([...command, ...RAW, ...operands]);
  return changesIn(stdout.split('\0'), 0);
}

/** What differs between two commits, in a folder or everywhere; null stands for "before the first commit". */
export function changesBetween(
  repository: Repository,
  from: string | null,
  to: string,
  folder = '',
): Promise<TreeChange[]> {
  const within = folder === '' ? [] : ['--', folder];
  return rawDiff(repository, ['diff-tree', '-r'], from ?? emptyTree(repository), to, ...within);
}

/** Whether the history behind `commit` holds `ancestor`; not where one of them is not in the repository any more. */
export async function isAncestor({ git }: Repository, ancestor: string, commit: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', ancestor, commit], { accept: [1, 128] })).code === 0;
}

/**
 * The commits that `git log` lists, each with the blobs that it has changed.
 *
 * @param placeholders the fields of each commit, such as `an` for `%an`.
 * @param args further options, revisions and paths.
 */
export async function gitLog(
  { git }: Pick<Repository, 'git'>,
  placeholders: readonly string[],
  ...args: readonly string[]
): Promise<LoggedCommit[]> {
  // The name first: it begins like no line of a diff, and so ends the changes of the commit before.
  const format = ['H', ...placeholders].map((placeholder) => `%${placeholder}%x00`).join('');
  const { stdout } = await git(['log', ...RAW, '--root', `--format=${format}`, ...args], {
    timeoutMs: HISTORY_MS,
  });
  const commits: LoggedCommit[] = [];
  const parts = stdout.split('\0');
  for (let at = 0; at + placeholders.length + 1 < parts.length; ) {
    const [commit = '', ...fields] = parts.slice(at, at + 1 + placeholders.length);
    at += placeholders.length + 2; // an empty part ends the fields
    const changes = changesIn(parts, at);
    at += 2 * changes.length;
    commits.push({ commit, fields, changes });
  }
  return commits;
}

/** The blobs that commits have at each path; `''` stands for a removal. */
export type PathBlobs = ReadonlyMap<string, ReadonlySet<string>>;

/** Those of no commit. */
export const NO_BLOBS: PathBlobs = new Map();

/**
 * Every blob that the history behind a commit ever had at these paths.
 *
 * @param since a commit whose own history need not be looked at, where the repository still has it.
 */
export async function blobsInHistory(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  since: string | null = null,
): Promise<PathBlobs> {
  const isThere = since !== null && (await commitAt(repository, since)) !== null;
  const range = isThere ? [commit, `^${since}`] : [commit];
  const commits = await gitLog(repository, [], '--full-history', '-m', ...range, '--', ...paths);
  const blobs = new Map<string, Set<string>>();
  for (const { path, after } of commits.flatMap(({ changes }) => changes))
    blobs.set(path, (blobs.get(path) ?? new Set()).add(after?.id ?? ''));
  return blobs;
}

/** All blobs of several histories. */
export function joinBlobs(histories: readonly PathBlobs[]): PathBlobs {
  const joined = new Map<string, Set<string>>();
  for (const [path, blobs] of histories.flatMap((history) => [...history]))
    joined.set(path, new Set([...(joined.get(path) ?? []), ...blobs]));
  return joined;
}

/** Reads `--raw -z` from a part on: `:<mode> <mode> <blob> <blob> <status>`, then the path, for each change. */
function changesIn(parts: readonly string[], from: number): TreeChange[] {
  const changes: TreeChange[] = [];
  for (let at = from; at + 1 < parts.length; at += 2) {
    // before the first change of a logged commit stands a line end
    const head = parts[at]?.trimStart() ?? '';
    if (!head.startsWith(':')) break;
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = head.slice(1).split(' ');
    changes.push({
      path: parts[at + 1] ?? '',
      before: entryOf(oldMode, oldBlob),
      after: entryOf(newMode, newBlob),
    });
  }
  return changes;
}

function entryOf(mode: string, id: string): TreeEntry | null {
  return mode === '000000' ? null : { mode, id };
}
