import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { crc32 } from 'node:zlib';
import { messageOf, systemCode } from '../../errors.js';
import { discard, isLeftover } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';
import { sourceOf, variantsOf } from '../outputs/compressed-variants.js';
import type { Content } from '../outputs/output.js';
import type { Manifest, WrittenFile } from './manifest.js';
import { contentOf, damagedFiles, isBlankOrZeroed, isMarked, isReplaceable } from './ownership.js';
import { bytesOf, type StagedFile, stageFile, writtenFile } from './staged-file.js';

/** A temp file this old is what a crash left behind, not another process's work. */
const LEFTOVER_AFTER_MS = 60_000;

/** The folder of finished pages; see `openWriter`. */
export type Writer = ReturnType<typeof openWriter>;

/** What of it a build needs; see `createFileBuilder`. */
export type BuildWriter = Pick<
  Writer,
  'root' | 'workerStagingDir' | 'put' | 'putStaged' | 'intact' | 'announce' | 'remove'
>;

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
  /** Files that a power loss has damaged, until they are built, and the checksums of what it has left of them. */
  const damaged = new Map<string, number>();
  /** Whether the manifest names no file at all, as after its loss: then a file without content is what is left of a page. */
  let isManifestLost = false;
  let stagingFolder = stagingDir;
  /** Where nothing else is believed to stand as it was written: what was written since, or found to be as it should. */
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
    return putStaged(file, stageFile(stagingFolder, bytes, source));
  }

  /** Gives a file the content of one that is staged, in the same way. */
  function putStaged(file: string, staged: StagedFile): readonly string[] {
    try {
      const kept = intact(file) === undefined ? keep(file, staged) : undefined;
      if (kept === undefined) return [...replace(file, staged), file];
      discard(staged.temp);
      return kept;
    } catch (error) {
      discard(staged.temp);
      throw error;
    }
  }

  /**
   * Leaves a file as it is where it holds the same as the staged one, or is somebody else's.
   *
   * @returns the variants that were removed then; undefined where it is to be replaced.
   */
  function keep(file: string, { temp, written }: StagedFile): readonly string[] | undefined {
    const present = read(file);
    if (present === undefined) return undefined;
    if (present.equals(fs.readFileSync(temp))) {
      record(file, present, written.source);
      trusted?.add(file);
      damaged.delete(file);
      return [];
    }
    if (isOurs(file, present)) return undefined;
    keepForeign(file);
    return standingVariants(file).flatMap(remove);
  }

  /** Whether what stands in a file is Pressmark's to replace; see `isReplaceable`. */
  function isOurs(file: string, present: Buffer): boolean {
    if (isDamage(file, present) || isReplaceable(file, present, manifest)) return true;
    return isManifestLost && !manifest.files.has(file) && isBlankOrZeroed(file, present);
  }

  /** Whether a file holds what a power loss has left of it, and nobody's work since. */
  function isDamage(file: string, present: Uint8Array): boolean {
    return damaged.get(file) === crc32(present);
  }

  /** Records a file as ours in the manifest. */
  function record(file: string, bytes: Buffer, source?: number): void {
    manifest.setFile(file, writtenFile(bytes, fs.statSync(join(root, file)), source));
  }

  /** Puts a file that is ready into its place. @returns the variants of what stood there, which were removed. */
  function replace(file: string, { temp, written }: StagedFile): readonly string[] {
    manifest.announceSync(file);
    // First: a web server sends them in place of the file, whatever they were made of.
    const removed = standingVariants(file).flatMap(remove);
    const before = manifest.files.get(file);
    // Said before it is done: after a crash in between the file does not match and is built again.
    manifest.setFile(file, written);
    try {
      // Asked first: nearly every new page has a folder of its own, and a failed rename costs more than all else here.
      if (before === undefined) fs.mkdirSync(dirname(join(root, file)), { recursive: true });
      rename(temp, join(root, file));
    } catch (error) {
      if (systemCode(error) !== 'EXDEV' || stagingFolder === root) {
        manifest.setFile(file, before);
        throw error;
      }
      stagingFolder = root; // the output is mounted from elsewhere
      replace(file, stageFile(root, fs.readFileSync(temp), written.source));
      discard(temp);
    }
    trusted?.add(file);
    damaged.delete(file);
    return removed;
  }

  /** The compressed variants of a file that Pressmark has made. */
  function standingVariants(file: string): readonly string[] {
    return variantsOf(file).filter((variant) => manifest.files.get(variant)?.source !== undefined);
  }

  function keepForeign(file: string): void {
    manifest.setForeign(file);
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
    if (known === undefined && !damaged.has(file)) return [];
    const variants = standingVariants(file).flatMap(remove);
    const present = read(file);
    if (present !== undefined && !isOurs(file, present)) {
      manifest.setForeign(file);
      return variants;
    }
    if (present !== undefined) {
      manifest.announceSync(file);
      fs.unlinkSync(join(root, file));
      pruneFolders(file);
    }
    manifest.setFile(file, undefined);
    damaged.delete(file);
    return present === undefined ? variants : [...variants, file];
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
    return present !== undefined && isMarked(file, present);
  }

  /**
   * Compares the files that a power loss may have damaged with what was written. Those that differ count as not built
   * until they are.
   *
   * @returns the files that must be built, or removed.
   */
  function findDamage(): readonly string[] {
    isManifestLost = manifest.files.size === 0;
    const found = [...damagedFiles(root, manifest)];
    for (const { file, crc } of found) if (crc !== undefined) damaged.set(file, crc);
    return found.map(({ file }) => file);
  }

  /** Removes damaged files that were not built since: nobody may be served what a power loss has left. */
  function removeDamaged(): void {
    for (const file of damaged.keys()) {
      const present = contentOf(join(root, file));
      if (present === undefined || !isDamage(file, present)) continue;
      log.warn({ file }, 'removed a page that was damaged by an unclean stop and could not be built');
      discard(join(root, file));
    }
    damaged.clear();
    isManifestLost = false;
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
    isOurs,
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

/** Renames, and makes the folder where somebody has removed it. */
function rename(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(to), { recursive: true });
    fs.renameSync(from, to);
  }
}
