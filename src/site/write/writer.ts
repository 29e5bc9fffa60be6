import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { discard, isLeftover } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';
import { sourceOf, variantsOf } from '../outputs/compressed-variants.js';
import type { Content } from '../outputs/output.js';
import type { Manifest, WrittenFile } from './manifest.js';
import {
  contentOf,
  damagedFiles,
  isBlankOrZeroed,
  isMarked,
  isReplaceable,
  MTIME_TOLERANCE_MS,
} from './ownership.js';
import { bytesOf, type StagedFile, stageFile, writtenFile } from './staged-file.js';

/** A temp file this old is what a crash left behind, not another process's work. */
const LEFTOVER_AFTER_MS = 60_000;

/** The folder of finished pages; see `openWriter`. */
export type Writer = ReturnType<typeof openWriter>;

/**
 * The output folder at `root`, of which `manifest` says what in it is ours.
 *
 * @param stagingDir where pages are written before they get their name, so that nobody who copies the output
 *   ever takes half a page along; on the same file system, or the root itself serves.
 */
export function openWriter(root: string, stagingDir: string, manifest: Manifest, log: Log) {
  const foreign = new Set<string>();
  /** Where a render worker writes its own: two threads that make files in one folder wait for each other. */
  const workerStagingDir = join(stagingDir, 'worker');
  /** Files that a power loss has damaged, until they are built. */
  const damaged = new Set<string>();
  let stagingFolder = stagingDir;
  /** Where nothing else is believed to stand as it was written: what was written since. */
  let trusted: Set<string> | undefined;

  /**
   * Gives a file its content, whole or not at all, if it does not have it yet. Its compressed variants, which are of
   * another text then, go before.
   *
   * @param source for a compressed variant: the checksum of the file that it was made of.
   * @returns the files that were changed. A file that somebody else put there is kept.
   */
  function put(file: string, content: Content, source?: number): readonly string[] {
    const bytes = bytesOf(content);
    if (intact(file)?.size === bytes.length && read(file)?.equals(bytes)) return [];
    return place(file, bytes, () => stageFile(stagingFolder, bytes), source);
  }

  /** Gives a file the content of a draft, in the same way. */
  function putStaged(file: string, staged: StagedFile): readonly string[] {
    const changed = place(file, staged.temp, () => staged);
    if (changed.length === 0) discard(staged.temp);
    return changed;
  }

  /** @param content bytes, or where they lie. */
  function place(
    file: string,
    content: Buffer | string,
    staged: () => StagedFile,
    source?: number,
  ): readonly string[] {
    // A folder that was just made holds nobody's file.
    if (intact(file) === undefined && !isMadeFolder(dirname(file))) {
      const present = read(file);
      const isNew = !manifest.files.has(file);
      if (isNew && present?.equals(typeof content === 'string' ? fs.readFileSync(content) : content)) {
        record(file, present, source);
        return [];
      }
      if (present !== undefined && !isOurs(file, present)) {
        keepForeign(file);
        return standingVariants(file).flatMap(remove);
      }
    }
    const { temp, written } = staged();
    return [...replace(file, temp, source === undefined ? written : { ...written, source }), file];
  }

  /** Whether what stands in a file is Pressmark's to replace; see `isReplaceable`. */
  function isOurs(file: string, present: Buffer): boolean {
    if (damaged.has(file) && isDamageOfOurs(file, manifest.files.get(file))) return true;
    return isReplaceable(file, present, manifest);
  }

  /** Records a file as ours in the manifest. */
  function record(file: string, bytes: Buffer, source?: number): void {
    const { size, mtimeMs } = fs.statSync(join(root, file));
    const written = writtenFile(bytes, size, mtimeMs);
    manifest.setFile(file, source === undefined ? written : { ...written, source });
  }

  /** Puts a file that is ready into its place. @returns the variants of what stood there, which were removed. */
  function replace(file: string, temp: string, written: WrittenFile): readonly string[] {
    manifest.announceSync(file);
    // First: a web server sends them in place of the file, whatever they were made of.
    const removed = standingVariants(file).flatMap(remove);
    const before = manifest.files.get(file);
    // Said before it is done: after a crash in between the file does not match and is built again.
    manifest.setFile(file, written);
    try {
      rename(temp, join(root, file));
    } catch (error) {
      const isElsewhere = systemCode(error) === 'EXDEV' && stagingFolder !== root;
      const bytes = isElsewhere ? fs.readFileSync(temp) : undefined;
      discard(temp);
      if (bytes === undefined) {
        manifest.setFile(file, before);
        throw error;
      }
      stagingFolder = root; // the output is mounted from elsewhere
      const again = stageFile(root, bytes);
      const { source } = written;
      replace(file, again.temp, source === undefined ? again.written : { ...again.written, source });
    }
    trusted?.add(file);
    damaged.delete(file);
    return removed;
  }

  /** The compressed variants of a file that Pressmark has made. */
  function standingVariants(file: string): readonly string[] {
    return variantsOf(file).filter((variant) => manifest.files.get(variant)?.source !== undefined);
  }

  /** Makes a folder; false where it was there. */
  function isMadeFolder(folder: string): boolean {
    return fs.mkdirSync(join(root, folder), { recursive: true }) !== undefined;
  }

  function keepForeign(file: string): void {
    if (foreign.has(file)) return;
    foreign.add(file);
    log.warn({ file }, 'kept a file that Pressmark did not write; remove it to have the page built');
  }

  /**
   * Removes a file that Pressmark wrote, its compressed variants, and the folders that are then empty.
   *
   * @returns the files that were removed.
   */
  function remove(file: string): readonly string[] {
    const known = manifest.files.get(file);
    if (known === undefined) return [];
    const variants = standingVariants(file).flatMap(remove);
    const present = read(file);
    const ours = present !== undefined && isOurs(file, present);
    if (ours) {
      manifest.announceSync(file);
      fs.unlinkSync(join(root, file));
      pruneFolders(file);
    }
    manifest.setFile(file, undefined);
    if (!ours) return variants;
    damaged.delete(file);
    return [...variants, file];
  }

  /** Has the names of files on the disk before they are written or removed: all at once, which saves syncs. */
  async function announce(files: readonly string[]): Promise<void> {
    const named = files.flatMap((file) => [file, ...standingVariants(file)]);
    await manifest.announce(named.filter((file) => manifest.files.has(file) || isFree(file)));
  }

  /** Whether no file of somebody else stands under a name. */
  function isFree(file: string): boolean {
    if (!fs.existsSync(join(root, file))) return true;
    const present = contentOf(join(root, file));
    return typeof present === 'string' ? present === 'nothing' : isMarked(file, present);
  }

  /**
   * Compares the files that a power loss may have damaged with what was written. Those that differ count as not built
   * until they are.
   *
   * @returns the files that must be built, or removed.
   */
  function findDamage(): readonly string[] {
    const stale: string[] = [];
    for (const { file, kind } of damagedFiles(root, manifest)) {
      stale.push(file);
      if (kind === 'missing') continue;
      damaged.add(file);
      // One of which the manifest has lost all but the name, or which was removed and is there again.
      if (!manifest.files.has(file)) record(file, readSmall(join(root, file)) ?? Buffer.alloc(0));
    }
    return stale;
  }

  /** Removes damaged files that were not built since: nobody may be served what a power loss has left. */
  function removeDamaged(): void {
    for (const file of damaged) {
      if (!isDamageOfOurs(file, manifest.files.get(file))) continue;
      log.warn({ file }, 'removed a page that was damaged by an unclean stop and could not be built');
      discard(join(root, file));
    }
    damaged.clear();
  }

  /** Whether a damaged file is what is left of ours, and nobody's work: what was changed since may be somebody's. */
  function isDamageOfOurs(file: string, known: WrittenFile | undefined): boolean {
    const path = join(root, file);
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    const isOlder =
      stat?.isFile() && known !== undefined && stat.mtimeMs <= known.mtimeMs + MTIME_TOLERANCE_MS;
    return isOlder || isBlankOrZeroed(file, contentOf(path));
  }

  function pruneFolders(file: string): void {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      try {
        if (!removeEmptyFolder(join(root, folder))) return;
      } catch (error) {
        log.warn({ folder, reason: messageOf(error) }, 'an empty folder could not be removed');
        return;
      }
    }
  }

  /**
   * What was written of a file that stands as Pressmark wrote it; undefined for any other, and for a compressed variant
   * of another text.
   */
  function intact(file: string): WrittenFile | undefined {
    const known = manifest.files.get(file);
    if (known === undefined || trusted?.has(file) === false || damaged.has(file)) return undefined;
    if (known.source !== undefined && known.source !== manifest.files.get(sourceOf(file) ?? '')?.crc)
      return undefined;
    const stat = fs.statSync(join(root, file), { throwIfNoEntry: false });
    return stat?.size === known.size && stat.mtimeMs === known.mtimeMs ? known : undefined;
  }

  function read(file: string): Buffer | undefined {
    // Asked first: an error would cost more than everything else that is done for a page.
    if (!fs.existsSync(join(root, file))) return undefined;
    try {
      return fs.readFileSync(join(root, file));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Believes no file to stand as it was written any more. */
  function distrust(): void {
    trusted = new Set();
  }

  /** Takes a file for one that Pressmark wrote, where it bears the mark of those. */
  function adopt(file: string): boolean {
    const present = manifest.files.has(file) ? undefined : readSmall(join(root, file));
    if (present === undefined || !isMarked(file, present)) return false;
    record(file, present);
    return true;
  }

  /** Removes what a crash has left behind. */
  function sweep(): void {
    for (const folder of new Set([stagingDir, workerStagingDir, root])) {
      if (!fs.existsSync(folder)) continue;
      for (const name of fs.readdirSync(folder)) {
        if (!isLeftover(name)) continue;
        const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
        if (stat !== undefined && Date.now() - stat.mtimeMs > LEFTOVER_AFTER_MS) discard(join(folder, name));
      }
    }
  }

  return {
    root,
    stagingDir,
    workerStagingDir,
    put,
    putStaged,
    intact,
    distrust,
    announce,
    findDamage,
    hasDamage: () => damaged.size > 0,
    removeDamaged,
    adopt,
    remove,
    sweep,
  };
}

/** Removes a folder where it is empty, or there; false where it holds something. */
export function removeEmptyFolder(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return false;
    if (!isGone(error)) throw error;
  }
  return true;
}

/** The paths of all files below a folder, which need not exist. */
export function filesBelow(root: string): string[] {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** Larger files are no texts of ours. */
const LARGEST_TEXT = 64 * 1024 * 1024;

/** What a file holds that may be a text of ours; undefined where there is none. */
export function readSmall(path: string): Buffer | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= LARGEST_TEXT ? fs.readFileSync(path) : undefined;
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
