import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, systemCode } from '../errors.js';
import { discard, isLeftover } from '../fs/atomic-write.js';
import type { Log } from '../log.js';
import { isGone } from '../store/entry.js';
import type { Manifest, WrittenFile } from './manifest.js';

/** What tells a page of ours where the manifest has been lost; every text Pressmark makes carries one. */
const MARK =
  /<meta name="generator" content="Pressmark|<generator>Pressmark|"_pressmark":|(?:<!--|\/\*|#) Pressmark\b/;

/** A temp file this old is what a crash left behind, not another process's work. */
const LEFTOVER_AFTER_MS = 60_000;

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/** The folder of finished pages; see `openOutput`. */
export interface Output {
  /**
   * Gives a file its content, whole or not at all, if it does not have it yet.
   *
   * @returns whether anything was written. A file that somebody else put there is kept.
   */
  put(file: string, content: Content): boolean;
  /** Removes a file that Pressmark wrote, and the folders that are then empty. */
  remove(file: string): boolean;
  /** Whether a file stands as Pressmark wrote it. */
  isIntact(file: string): boolean;
  /** Removes what a crash has left behind. */
  sweep(): void;
}

/**
 * The output folder at `root`, of which `manifest` says what in it is ours.
 *
 * @param workshop where pages are written before they get their name, so that nobody who copies the output
 *   ever takes half a page along; on the same file system, or the root itself serves.
 */
export function openOutput(root: string, workshop: string, manifest: Manifest, log: Log): Output {
  const foreign = new Set<string>();
  let tempFolder = workshop;

  function put(file: string, content: Content): boolean {
    const digest = digestOf(content);
    const known = manifest.files.get(file);
    if (known?.hash === digest && isIntact(file)) return false;
    const present = known === undefined ? read(file) : undefined;
    if (present !== undefined && digestOf(present) === digest) {
      manifest.setFile(file, writtenFile(digest, fs.statSync(join(root, file))));
      return false;
    }
    if (present !== undefined && !isMarked(present)) {
      keepForeign(file);
      return false;
    }
    replace(file, content, digest);
    return true;
  }

  function replace(file: string, content: Content, digest: string): void {
    const temp = join(tempFolder, `.pressmark-${randomBytes(8).toString('hex')}.tmp`);
    try {
      const stat = writeNew(temp, content);
      // Said before it is done: after a crash in between the file does not match and is built again.
      manifest.setFile(file, writtenFile(digest, stat));
      rename(temp, join(root, file));
    } catch (error) {
      discard(temp);
      if (systemCode(error) !== 'EXDEV' || tempFolder === root) throw error;
      tempFolder = root; // the output is mounted from elsewhere
      replace(file, content, digest);
    }
  }

  function writeNew(temp: string, content: Content): fs.Stats {
    fs.mkdirSync(dirname(temp), { recursive: true });
    const fd = fs.openSync(temp, 'wx');
    try {
      fs.writeFileSync(fd, content);
      return fs.fstatSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  }

  function keepForeign(file: string): void {
    if (foreign.has(file)) return;
    foreign.add(file);
    log.warn({ file }, 'kept a file that Pressmark did not write; remove it to have the page built');
  }

  function remove(file: string): boolean {
    const known = manifest.files.get(file);
    if (known === undefined) return false;
    const present = read(file);
    const ours = present !== undefined && (isMarked(present) || digestOf(present) === known.hash);
    if (ours) {
      fs.unlinkSync(join(root, file));
      pruneFolders(file);
    }
    manifest.setFile(file, undefined);
    return ours;
  }

  function pruneFolders(file: string): void {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      try {
        fs.rmdirSync(join(root, folder));
      } catch (error) {
        if (isGone(error)) continue;
        if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? ''))
          log.warn({ folder, reason: messageOf(error) }, 'an empty folder could not be removed');
        return;
      }
    }
  }

  function isIntact(file: string): boolean {
    const known = manifest.files.get(file);
    const stat = fs.statSync(join(root, file), { throwIfNoEntry: false });
    return known !== undefined && stat?.size === known.size && stat.mtimeMs === known.mtimeMs;
  }

  function read(file: string): Buffer | undefined {
    try {
      return fs.readFileSync(join(root, file));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  function sweep(): void {
    for (const folder of new Set([workshop, root])) {
      if (!fs.existsSync(folder)) continue;
      for (const name of fs.readdirSync(folder)) {
        if (!isLeftover(name)) continue;
        const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
        if (stat !== undefined && Date.now() - stat.mtimeMs > LEFTOVER_AFTER_MS) discard(join(folder, name));
      }
    }
  }

  return { put, remove, isIntact, sweep };
}

function digestOf(content: Content): string {
  return hash('sha256', content).slice(0, 32);
}

function isMarked(content: Buffer): boolean {
  return MARK.test(content.toString('utf8'));
}

function writtenFile(hash: string, { size, mtimeMs }: fs.Stats): WrittenFile {
  return { hash, size, mtimeMs };
}

/** Renames, and makes the folder only where it is missing: nearly always it is there. */
function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(from, to);
  }
}
