import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGone } from '../../errors.js';
import { hashFiles } from '../commit/build-commits.js';
import { changesIn, contentsOf } from '../objects.js';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';

/** How long git may take to look at all files, in milliseconds. */
const LIMIT_MS = 300_000;

/** The smallest part of a file that a disk writes, in bytes. */
const BLOCK = 512;

/**
 * Whether `bytes` may be the rest of `whole` after a power loss. Git does not sync the files that a merge writes, so they may
 * be empty or cut off after a block, or have zeros for pages that never reached the disk. A file that ends elsewhere lacks what
 * a person has removed.
 */
export function isTorn(bytes: Buffer, whole: Buffer): boolean {
  const isOfBlocks = bytes.length === whole.length || bytes.length % BLOCK === 0;
  return isOfBlocks && !bytes.equals(whole) && bytes.every((byte, at) => byte === 0 || byte === whole[at]);
}

/**
 * Restores files that a power loss has torn after a merge. It does not touch files that a person has edited, staged or removed.
 * The caller holds the store's lock.
 *
 * @param folder the content folder from the top of the work tree, with a slash at its end.
 * @returns the restored files, from the top of the work tree.
 */
export async function restoreTornFiles(repository: Repository, folder: string): Promise<string[]> {
  const { git } = repository;
  // Lets git refresh its index, like `git status` by the owner.
  const run = { untracked: false, timeoutMs: LIMIT_MS, env: { GIT_OPTIONAL_LOCKS: '1' } };
  const { files } = await statusOf(repository, [folder], run);
  const versions = new Map<string, ReadonlySet<string>>();
  for (const [path, { head, index }] of files)
    if (head !== undefined && head.id === index?.id) versions.set(path, new Set([head.id]));
  const torn = await leftOvers(repository, [...versions.keys()], versions);
  const input = torn.map((path) => `${path}\0`).join('');
  if (torn.length > 0) await git(['checkout-index', '-f', '-u', '-z', '--stdin'], { input });
  return torn;
}

/**
 * Returns those conflicting files that an interrupted merge had written. It went from `from` to `to` or to a commit between
 * them.
 *
 * @param from null for "before the first commit".
 * @param paths the conflicting files, from the top of the work tree.
 */
export async function leftByMerge(
  repository: Repository,
  from: string | null,
  to: string,
  paths: readonly string[],
): Promise<string[]> {
  const range = from === null ? [to] : [to, '--not', from];
  const log = ['log', '-z', '-m', '--raw', '--no-abbrev', '--no-renames', '--format=', ...range];
  const { stdout } = await repository.git(log, { timeoutMs: LIMIT_MS });
  const versions = new Map(paths.map((path) => [path, new Set<string>()]));
  for (const { path, after } of changesIn(stdout)) if (after) versions.get(path)?.add(after.id);
  const files = await filesAmong(repository, paths);
  const blobs = await hashFiles(repository, files);
  const whole = files.filter((path, index) => versions.get(path)?.has(blobs[index] ?? ''));
  const others = files.filter((path) => !whole.includes(path));
  return [...whole, ...(await leftOvers(repository, others, versions))];
}

/** Returns the files that are torn forms of one of their versions. */
async function leftOvers(
  repository: Repository,
  paths: readonly string[],
  versions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<string[]> {
  const torn: string[] = [];
  for (const path of await filesAmong(repository, paths)) {
    const bytes = await readFile(join(repository.top, path));
    const contents = await contentsOf(repository, versions.get(path) ?? []);
    if ([...contents.values()].some((content) => isTorn(bytes, content))) torn.push(path);
  }
  return torn;
}

async function filesAmong({ top }: Repository, paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    try {
      if ((await lstat(join(top, path))).isFile()) files.push(path);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return files;
}
