import fs from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { putNew } from '../../fs/atomic-write.js';
import type { Repository } from '../cli/repository.js';

/** A file of the work tree or a symbolic link; undefined where there is none. */
export type WorkFile =
  | { readonly content: Buffer; readonly isLink: boolean; readonly mode: number }
  | undefined;

type FileContent = Omit<NonNullable<WorkFile>, 'mode'> | undefined;

/** What is at a path; nothing where it is a folder. */
export function workFileAt(path: string): WorkFile {
  const stat = statAt(path);
  if (stat === undefined || stat.isDirectory()) return undefined;
  return stat.isSymbolicLink()
    ? { content: Buffer.from(fs.readlinkSync(path)), isLink: true, mode: stat.mode }
    : { content: fs.readFileSync(path), isLink: false, mode: stat.mode };
}

/** Whether two files have the same content, whatever their permissions. */
export function isSame(a: FileContent, b: FileContent): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.isLink === b.isLink && a.content.equals(b.content);
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

/** Why no file is written at a path: a commit must not name one outside of the work tree or in git's own folder. */
export function unwritable({ top }: Repository, path: string): string | undefined {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$|^git~\d+$/i.test(part)))
    return 'such a path is not written';
  for (let at = dirname(join(top, path)); at.length > top.length; at = dirname(at)) {
    if (statAt(at)?.isSymbolicLink() === true) return 'it lies behind a symbolic link';
  }
  return undefined;
}

/** What is at a path itself; undefined where nothing is, also because a file is in the place of a folder above it. */
function statAt(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Replaces or removes a file that was compared before.
 *
 * @param now the file as it was compared.
 * @param made the path of the new file, on the same file system; null where the file is removed.
 * @param kept the path at which the old file stays readable; on the same file system.
 * @returns false where the file has changed since it was compared; it is as it was then.
 */
export async function replaceFile(
  { top }: Repository,
  path: string,
  now: WorkFile,
  made: string | null,
  kept: string,
): Promise<boolean> {
  const target = join(top, path);
  if (now === undefined) {
    if (made === null) return true;
    // The empty folder of a submodule that was never initialised.
    await rmdir(target).catch(() => undefined);
    await mkdir(dirname(target), { recursive: true });
    return putNew(made, target);
  }
  // Under its second name the old file can be read again: a program may have it open, and save.
  fs.linkSync(target, kept);
  if (!isSame(workFileAt(kept), now) || fs.lstatSync(kept).ino !== fs.lstatSync(target).ino) return false;
  if (made === null) fs.unlinkSync(target);
  else fs.renameSync(made, target);
  if (!isSame(workFileAt(kept), now)) {
    fs.renameSync(kept, target);
    return false;
  }
  if (made === null) removeEmptyFolders(top, dirname(target));
  return true;
}

/** As in git, a folder without files does not exist. */
function removeEmptyFolders(top: string, folder: string): void {
  for (let at = folder; at.length > top.length; at = dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch {
      return; // something is left in it
    }
  }
}
