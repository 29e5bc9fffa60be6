import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isGone, systemCode } from '../errors.js';
import { discard, makeDurableDirectory, syncDirectory, syncFile, tempPath } from '../fs/atomic-write.js';
import { eachAtATime } from '../fs/each-at-a-time.js';

/** How many files are copied at a time. */
const FILES_AT_A_TIME = 16;

/** The source of a release. */
export interface ReleaseSource {
  /** The folder with the files, absolute; it is only read. */
  readonly output: string;
  /** All files, relative to the folder, with forward slashes. */
  readonly files: readonly string[];
  /** The folder of the previous release; undefined if there is none. */
  readonly previous: string | undefined;
  /** Whether the previous release has the same file. Only called if there is a previous release. */
  isSame(file: string): boolean;
}

/** How many releases are kept, including the present one. */
const KEPT = 5;

/** A name such as `20261122T210500123Z-1f3a`; names sort by time. */
const RELEASE = /^\d{8}T\d{9}Z-[0-9a-f]{4}$/;

/** Whether a path has the name of a release. */
export function isRelease(path: string): boolean {
  return RELEASE.test(basename(path));
}

/**
 * Makes a release durably. Unchanged files are hard links to the previous release, others are copied. Until it is complete, it
 * has a temporary name.
 *
 * @param releases the folder of all releases, absolute.
 * @returns the folder of the release.
 */
export async function makeRelease(
  releases: string,
  { output, files, previous, isSame }: ReleaseSource,
): Promise<string> {
  const next = join(releases, `.next-${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(next, { recursive: true });
  try {
    for (const folder of new Set(files.map(dirname))) fs.mkdirSync(join(next, folder), { recursive: true });
    const isLinked = (file: string) =>
      previous !== undefined && isSame(file) && tryLink(join(previous, file), join(next, file));
    const copies = files.filter((file) => !isLinked(file));
    await copyFiles(copies, output, next);
  } catch (error) {
    fs.rmSync(next, { recursive: true, force: true });
    throw error;
  }
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const release = join(releases, `${time}-${randomBytes(2).toString('hex')}`);
  fs.renameSync(next, release);
  await syncDirectory(releases);
  return release;
}

/** Copies files from one folder to another durably. Their folders must exist. */
async function copyFiles(files: readonly string[], from: string, to: string): Promise<void> {
  /** The folders with a copied file, and their parents. To sync all folders would take longer than the rest. */
  const changed = new Set([to]);
  await eachAtATime(FILES_AT_A_TIME, files, async (file) => {
    const path = join(to, file);
    for (let at = dirname(path); !changed.has(at); at = dirname(at)) changed.add(at);
    try {
      await copy(join(from, file), path);
    } catch (error) {
      if (!isGone(error)) throw error;
      // A build has removed the file; the deploy of that build follows.
    }
  });
  await eachAtATime(FILES_AT_A_TIME, changed, syncDirectory);
}

/** Copies a file with its modification time, and syncs it. */
async function copy(file: string, path: string): Promise<void> {
  await fs.promises.copyFile(file, path, fs.constants.COPYFILE_FICLONE);
  const { atimeMs, mtimeMs } = await fs.promises.stat(file);
  await fs.promises.utimes(path, atimeMs / 1_000, mtimeMs / 1_000);
  await fs.promises.chmod(path, 0o644);
  await syncFile(path);
}

/** Makes a hard link. @returns false if the file system does not support it, or the file is a symbolic link. */
function tryLink(file: string, name: string): boolean {
  try {
    if (fs.lstatSync(file).isSymbolicLink()) return false;
    fs.linkSync(file, name);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (isGone(error) || ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return false;
    throw error;
  }
}

/** Points a path at a release, by one rename. An existing folder is moved to the releases first. */
export async function switchTo(release: string, path: string): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  // Before the first build, the folder `build` of an output `build/www` may be missing.
  await makeDurableDirectory(dirname(path));
  const link = tempPath(dirname(path));
  fs.symlinkSync(relative(fs.realpathSync(dirname(path)), fs.realpathSync(release)), link);
  const isFolder = fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const old = join(dirname(release), `.removed-${suffix}`);
  try {
    if (isFolder) fs.renameSync(path, old);
    fs.renameSync(link, path);
  } catch (error) {
    if (isFolder && fs.existsSync(old)) fs.renameSync(old, path);
    discard(link);
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The release that a path points to; undefined if there is none. */
export function presentRelease(releases: string, path: string): string | undefined {
  try {
    const release = join(releases, basename(fs.readlinkSync(path)));
    return isRelease(release) && fs.existsSync(release) ? release : undefined;
  } catch (error) {
    if (isGone(error) || systemCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/**
 * Removes earlier releases, except the last five.
 *
 * @param kept the names of further releases to keep, such as one that the owner has gone back to.
 */
export function removeOldReleases(releases: string, kept: readonly string[]): void {
  const names = fs.readdirSync(releases);
  const last = names.filter(isRelease).toSorted().slice(-KEPT);
  for (const name of names.filter((one) => !last.includes(one) && !kept.includes(one))) {
    // Renamed first, so that a half-removed release does not count as a complete one.
    const removed = name.startsWith('.') ? name : `.removed-${name}`;
    try {
      if (removed !== name) fs.renameSync(join(releases, name), join(releases, removed));
      fs.rmSync(join(releases, removed), { recursive: true, force: true });
    } catch {
      // Another user may have made files in it. The present release is complete, and the next time it is tried again.
    }
  }
}
