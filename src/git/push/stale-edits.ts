import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import type { Repository } from '../cli/repository.js';
import { blobId } from '../cli/repository.js';
import { blobsAt } from '../cli/tree.js';
import { type Blob, blobsOf } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import { type EditBases, staleBases } from './edit-bases.js';
import type { StoreLock } from './store-lock.js';
import { statAt, unwritable } from './worktree-checkout.js';

/** Files that the branch has moved on without, as a person was editing them; see `createStaleEdits`. */
export interface StaleEdits {
  /** Whether a file, from the top of the work tree, was made from another version than the branch has by now. */
  has(path: string): Promise<boolean>;
  /** Finds the files that a person has brought to the branch's version, so that the next edit counts as made from it. */
  settle(): Promise<void>;
}

/** Knows the people's edits that must not be committed over what others have pushed meanwhile. */
export function createStaleEdits(repository: Repository, bases: EditBases, lock: StoreLock): StaleEdits {
  async function settle(): Promise<void> {
    if ((await staleBases(repository)).size === 0) return;
    const head = await readHead(repository);
    if (head.kind === 'branch') await settleStale(repository, bases, lock, head.tip);
  }

  async function has(path: string): Promise<boolean> {
    await settle();
    return (await staleBases(repository)).has(path);
  }

  return { has, settle };
}

/** Records that files are stale no longer: they are as a commit has them, or were made from its version. */
export async function settleStale(
  repository: Repository,
  bases: EditBases,
  lock: StoreLock,
  tip: string | null,
): Promise<void> {
  const stale = await staleBases(repository);
  if (stale.size === 0) return;
  const committed = await blobsAt(repository, tip, stale.keys());
  const settled = new Map<string, string>();
  for (const [path, base] of stale) {
    const content = await contentAt(repository, path);
    const blob = content && (await articleBlob(repository, path, content.toString('utf8'))).id;
    const atTip = committed.get(path);
    if (blob === atTip || base === atTip) settled.set(path, atTip ?? '');
  }
  if (settled.size > 0) await lock.run(() => bases.setCurrent(settled));
}

/** The content of a file of the work tree; undefined where there is none that is to be read. */
export async function contentAt(repository: Repository, path: string): Promise<Buffer | undefined> {
  if (unwritable(repository, path) !== undefined) return undefined;
  const absolute = join(repository.top, path);
  if (statAt(absolute)?.isFile() !== true) return undefined;
  try {
    return await readFile(absolute);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The blob of a text in the content folder. No filter applies there (`committableTree`), so that git can change only a
 * text with CR.
 */
export async function articleBlob(repository: Repository, path: string, text: string): Promise<Blob> {
  const content = Buffer.from(text);
  const [blob] = text.includes('\r') ? await blobsOf(repository, [{ path, bytes: content }]) : [];
  return blob ?? { id: blobId(repository, content), content };
}
