import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/trees.js';
import { readHead } from '../commit/head.js';
import { blobsIn } from '../remote-store/remote-tree.js';
import { leftBehind, type Origins } from './edit-bases.js';
import type { Exclusive } from './store-lock.js';
import { reasonAgainst } from './worktree-checkout.js';

/** Files that the branch has moved on without, as a person was editing them; see `createBehind`. */
export interface Behind {
  /** Whether a file, from the top of the work tree, was made from another version than the branch has by now. */
  has(path: string): Promise<boolean>;
  /** Finds out where a person has taken over what the branch has, before they go on from there. */
  look(): Promise<void>;
}

/** Knows which people's edits must not be committed over what others have pushed meanwhile. */
export function createBehind(repository: Repository, origins: Origins, exclusive: Exclusive): Behind {
  async function look(): Promise<void> {
    if ((await leftBehind(repository)).size === 0) return;
    const head = await readHead(repository);
    if ('waitingFor' in head) return;
    const names = await caughtUpWith(repository, head.tip);
    if (names.size > 0) await exclusive.run(() => origins.caughtUp(names));
  }

  async function has(path: string): Promise<boolean> {
    await look();
    return (await leftBehind(repository)).has(path);
  }

  return { has, look };
}

/**
 * Of the files that were left behind, those that are what a commit has.
 *
 * @returns the names of their contents; the empty name for no file.
 */
export async function caughtUpWith(repository: Repository, tip: string | null): Promise<Map<string, string>> {
  const behind = [...(await leftBehind(repository)).keys()];
  const names = await blobsAt(repository, tip, behind);
  const found = new Map<string, string>();
  for (const path of behind) {
    const content = await contentAt(repository, path);
    const blob = content && (await nameOf(repository, path, content.toString('utf8')));
    if (blob === names.get(path)) found.set(path, blob ?? '');
  }
  return found;
}

/** What a file of the work tree holds; undefined where there is none that is to be read. */
export async function contentAt(repository: Repository, path: string): Promise<Buffer | undefined> {
  if (reasonAgainst(repository, path) !== undefined) return undefined;
  const absolute = join(repository.top, path);
  if (fs.lstatSync(absolute, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  try {
    return await readFile(absolute);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The name of the blob that a text at this path becomes, clean filters included. */
export async function nameOf(
  repository: Repository,
  path: string,
  content: string,
): Promise<string | undefined> {
  const [blob] = await blobsIn(repository, [{ path, content }]);
  return blob?.id;
}
