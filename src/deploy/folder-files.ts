import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.js';

/** So many files are read or written at a time. */
export const FILES_AT_A_TIME = 16;

/** The names of all files below a folder, relative to it, with forward slashes. Links count as what they lead to. */
export async function filesIn(root: string, below = ''): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await fs.promises.readdir(join(root, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    const kind = entry.isSymbolicLink() ? fs.statSync(join(root, name), { throwIfNoEntry: false }) : entry;
    if (kind?.isDirectory() === true) names.push(...(await filesIn(root, name)));
    else if (kind?.isFile() === true) names.push(name);
  }
  return names;
}

/** Gives a file a second name. @returns false where the file system cannot do that, or where the file is a symbolic link. */
export async function tryLink(file: string, name: string): Promise<boolean> {
  if ((await fs.promises.lstat(file)).isSymbolicLink()) return false;
  try {
    await fs.promises.link(file, name);
    return true;
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}
