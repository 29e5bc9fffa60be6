import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { systemCode } from '../../errors.js';

/** An open file to serve. Headers and body come from the same descriptor. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly stat: fs.BigIntStats;
}

/** The longest file name, in bytes. */
const LONGEST_NAME = 255;

/** Does not follow a link that appeared after the path was checked, and does not wait for a pipe. */
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** Errors that mean that there is nothing to serve; `ENXIO` is for a socket. */
const NOTHING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO'];

/**
 * The path of the file that a URL names; a path that is empty or ends in a slash names a folder. Each segment is decoded once
 * and must be a plain name, so that no spelling of `..`, of a slash or of a dot file works.
 *
 * @param pathname the raw path, starting with a slash.
 * @returns undefined for a path that is not served.
 */
export function servedPath(pathname: string): string | undefined {
  if (!pathname.startsWith('/')) return undefined;
  const segments = pathname.slice(1).split('/');
  const isFolder = segments.at(-1) === '';
  const names = (isFolder ? segments.slice(0, -1) : segments).map(nameOf);
  if (!names.every((name) => name !== undefined)) return undefined;
  return names.join('/') + (isFolder && names.length > 0 ? '/' : '');
}

function nameOf(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined; // not UTF-8, so no file's name
  }
  if (name === '' || isHidden(name) || /[/\\\x00-\x1f\x7f]/.test(name)) return undefined;
  return Buffer.byteLength(name) > LONGEST_NAME ? undefined : name;
}

/** Dot files are private, except `.well-known`. */
function isHidden(name: string): boolean {
  return name.startsWith('.') && name !== '.well-known';
}

/**
 * Opens a file below `root`. A symbolic link is followed if it stays inside and does not lead to a dot file.
 *
 * @param path from `servedPath`.
 * @returns 'folder' for a folder; undefined if there is nothing to serve.
 * @throws the system's error for an unreadable file.
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

/** Whether a path relative to the root stays below it, without a dot file. */
function isInside(path: string): boolean {
  const names = path.split(sep);
  return path === '' || (names[0] !== '..' && !names.some(isHidden));
}

async function open(path: string): Promise<ServedFile | 'folder' | undefined> {
  const handle = await fs.promises.open(path, FLAGS);
  const stat = await handle.stat({ bigint: true });
  if (stat.isFile()) return { handle, stat };
  await handle.close();
  return stat.isDirectory() ? 'folder' : undefined;
}

/** The limit of simultaneous reads: deliveries use the same thread pool and event loop. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs file operations in order, at most two at a time, so that a thousand readers delay a delivery no more than two. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running === AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}
