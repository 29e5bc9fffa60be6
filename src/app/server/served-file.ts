import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { systemCode } from '../../errors.js';

/** A file that may be served, opened: what is said of it and what is sent are of the same bytes. */
export interface ServedFile {
  readonly handle: FileHandle;
  readonly stat: fs.BigIntStats;
}

/** Longest name that file systems allow, in bytes. */
const LONGEST_NAME = 255;

/** Never follows a link that came in after the path was looked at, and waits for no pipe's other end. */
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/** What says that there is nothing to serve at a path; `ENXIO` is a socket's name. */
const NOTHING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO'];

/**
 * The file below the built site that a URL's path names; a path that ends in a slash, or is empty, names a folder.
 * Every segment is decoded once and must then be a plain name, so that no spelling of `..`, of a slash or of a
 * dot file leads anywhere.
 *
 * @param pathname the path as it was sent, starting with a slash.
 * @returns undefined for a path that names nothing that is served.
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

/** Dot files are private, but for the one folder of them that is meant for the public. */
function isHidden(name: string): boolean {
  return name.startsWith('.') && name !== '.well-known';
}

/**
 * Opens a file below `root`. A symbolic link is followed as long as it stays inside and leads to no dot file.
 *
 * @param path as `servedPath` gave it.
 * @returns 'folder' where that is what stands there, undefined if nothing does that may be served.
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

/** Whether a path relative to the root stays below it and passes no dot file. */
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

/** Deliveries are synced by the same few threads that open and read files, and answered by the same event loop. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Opens or reads a file when its turn comes: at most two at a time and in the order of the calls, so that a thousand
 * readers delay a delivery no more than two do.
 */
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
