import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { systemCode } from '../../errors.js';
import { isHidden } from './served-path.js';

/** A file that may be served, opened: what is said of it and what is sent are of the same bytes. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly stat: fs.BigIntStats;
}

/** Never follows a link that came in after the path was looked at, and waits for no pipe's other end. */
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** What says that there is nothing to serve at a path; `ENXIO` is a socket's name. */
const NOTHING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO'];

/**
 * Opens a file below `root`. A symbolic link is followed as long as it stays inside and leads to no dot file.
 *
 * @param path as `servedPath` gave it.
 * @returns 'folder' where that is what stands there, undefined where nothing does that may be served.
 * @throws what the system says of a file that is there and cannot be read.
 */
export async function openServed(root: string, path: string): Promise<ServedFile | 'folder' | undefined> {
  try {
    const [top, real] = await Promise.all([
      fs.promises.realpath(root),
      fs.promises.realpath(join(root, path)),
    ]);
    if (!isInside(relative(top, real))) return undefined;
    return await open(real);
  } catch (error) {
    if (NOTHING.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function open(path: string): Promise<ServedFile | 'folder' | undefined> {
  const handle = await fs.promises.open(path, FLAGS);
  let served = false;
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) return 'folder';
    served = stat.isFile();
    return served ? { handle, stat } : undefined;
  } finally {
    if (!served) await handle.close();
  }
}

/** Whether a path relative to the root stays below it and passes no dot file. */
function isInside(path: string): boolean {
  const names = path.split(sep);
  return path === '' || (names[0] !== '..' && !names.some(isHidden));
}
