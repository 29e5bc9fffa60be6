import fs from 'node:fs';
import type { Article } from '../../article/article.js';
import { type Address, digestOf } from '../../article/codec.js';
import { PressmarkError } from '../../errors.js';
import { discard, dropName, lacksHardLinks, type Staged, undoPath } from '../../fs/atomic-write.js';
import { type Stamp, stampOf } from '../../fs/stamp.js';

/** A staged file that is to get its name. */
export interface Write {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  /** The same, absolute; for a replacement with symbolic links resolved. */
  readonly target: string;
  readonly text: string;
  /** The text in UTF-8, where that is at hand. */
  readonly bytes?: Uint8Array;
  /** What was decided upon: the whole text of the file that is replaced; null for a new file. */
  readonly replaces: string | null;
  /** What the text holds. */
  readonly article: Article;
  /** Whether the article's URL is certain; undefined where the file pins it. */
  readonly address?: Address;
  /** Permissions of the file that is replaced. */
  readonly mode?: number;
}

/** A file that has its name but is not durable yet. */
export interface Placed {
  readonly write: Write;
  readonly stamp: Stamp;
  /** A second name of the file that was replaced, where the file system has hard links. */
  readonly undo: string | undefined;
}

/** Thrown where a new file's name was taken by somebody else in the last moment. */
export class NameTaken extends Error {}

/**
 * Gives a staged file the name of the one that it replaces, only while that is still what was decided upon; its inode
 * is kept under a second name until `settle`.
 *
 * @param decided the whole text of the file that is replaced.
 * @throws PressmarkError REVISION_CONFLICT; the system's errors. Nothing was changed then.
 */
export function placeOver({ temp, stat }: Staged, write: Write, decided: string): Placed {
  return { write, undo: renameOver(temp, write.target, decided), stamp: stampOf(stat) };
}

/**
 * Renames a staged file over `target`, only while that holds the text `decided`.
 *
 * @returns a second name of the file that was replaced, for `dropUndo`, where the file system has hard links.
 * @throws PressmarkError REVISION_CONFLICT; the system's errors. Nothing was changed then.
 */
export function renameOver(temp: string, target: string, decided: string): string | undefined {
  const undo = undoPath(target, shortDigest(decided));
  if (!tryLink(target, undo)) {
    if (fs.readFileSync(target, 'utf8') !== decided) throw conflict();
    fs.renameSync(temp, target);
    return undefined;
  }
  try {
    // Looked at last before the rename: an editor that saves by rename has given the name to another inode.
    if (fs.readFileSync(undo, 'utf8') !== decided || fs.statSync(target).ino !== fs.statSync(undo).ino)
      throw conflict();
    fs.renameSync(temp, target);
  } catch (error) {
    discard(undo);
    throw error;
  }
  return undo;
}

/**
 * Looks once more at what was replaced, as `dropUndo` does.
 *
 * @throws PressmarkError REVISION_CONFLICT; the directory must then be synced again.
 */
export async function settle({ write, undo }: Placed): Promise<void> {
  if (undo !== undefined) await dropUndo(undo, write.target, write.replaces);
}

/**
 * Removes the second name of a file that was replaced. A person who had that file open may have saved into it since:
 * then their version is put back.
 *
 * @throws PressmarkError REVISION_CONFLICT; the directory must then be synced again.
 */
export async function dropUndo(undo: string, target: string, decided: string | null): Promise<void> {
  if (fs.readFileSync(undo, 'utf8') !== decided) {
    fs.renameSync(undo, target);
    throw conflict();
  }
  await dropName(undo);
}

/**
 * Takes back what could not be made durable: the old file whole, or no file. A person who has saved into it
 * since keeps their version.
 */
export async function takeBack({ write, stamp, undo }: Placed): Promise<void> {
  if (!isStillOurs(write, stamp)) {
    if (undo !== undefined) await dropName(undo);
  } else if (write.replaces === null) fs.unlinkSync(write.target);
  else if (undo !== undefined) fs.renameSync(undo, write.target);
}

function isStillOurs({ target, text }: Write, stamp: Stamp): boolean {
  const inode = fs.statSync(target, { throwIfNoEntry: false })?.ino;
  return inode === stamp.ino && fs.readFileSync(target, 'utf8') === text;
}

/** What an undo link's name says of the text it was made for. */
export function shortDigest(text: string): string {
  return digestOf(text).slice('sha256-'.length, 'sha256-'.length + 32);
}

function tryLink(target: string, undo: string): boolean {
  try {
    fs.linkSync(target, undo);
    return true;
  } catch (error) {
    if (lacksHardLinks(error)) return false;
    throw error;
  }
}

function conflict(): PressmarkError {
  return new PressmarkError('REVISION_CONFLICT', 'the article was edited at this very moment');
}
