import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { systemCode } from '../errors.js';
import { discard, makeDirectory, syncDirectory, syncFile, tempPath } from '../fs/atomic-write.js';
import { eachAtATime } from '../fs/each-at-a-time.js';
import { isGone } from '../store/catalog/entry.js';

/** So many files are copied at a time. */
const FILES_AT_A_TIME = 16;

/** What a release is made of. */
export interface ReleaseSource {
  /** The folder that has the files, absolute; it is only read. */
  readonly output: string;
  /** All files, relative to the folder, with forward slashes. */
  readonly files: readonly string[];
  /** The folder of the release before; undefined where there is none. */
  readonly previous: string | undefined;
  /** Whether the release before has the same file. Called only where there is one. */
  isSame(file: string): boolean;
}

/** So many releases are kept, the present one among them. */
const KEPT = 5;

/** A name such as `20261122T210500123Z-1f3a`, so that names sort by time. */
const RELEASE = /^\d{8}T\d{9}Z-[0-9a-f]{4}$/;

/**
 * Makes a release, which is on the disk then: a file that the release before has alike is the same file in both, others are
 * copied. It has another name until it is whole.
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

/** Copies files from one folder to another; they are on the disk then. Their folders must be there. */
async function copyFiles(files: readonly string[], from: string, to: string): Promise<void> {
  /** The folders with a copy in them, and those around. To sync all others takes longer than all the rest. */
  const changed = new Set([to]);
  await eachAtATime(FILES_AT_A_TIME, files, async (file) => {
    const path = join(to, file);
    for (let at = dirname(path); !changed.has(at); at = dirname(at)) changed.add(at);
    try {
      await copy(join(from, file), path);
    } catch (error) {
      if (!isGone(error)) throw error;
      // A build has removed it since; the deploy of that build follows.
    }
  });
  await eachAtATime(FILES_AT_A_TIME, changed, syncDirectory);
}

/** Copies a file with its time, and syncs it. */
async function copy(file: string, path: string): Promise<void> {
  await fs.promises.copyFile(file, path, fs.constants.COPYFILE_FICLONE);
  const { atimeMs, mtimeMs } = await fs.promises.stat(file);
  await fs.promises.utimes(path, atimeMs / 1_000, mtimeMs / 1_000);
  await fs.promises.chmod(path, 0o644);
  await syncFile(path);
}

/** Gives a file a second name. @returns false where the file system cannot do that, or where the file is a symbolic link. */
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

/** Lets a path lead to a release, by one rename; a folder that is there the first time is moved to the releases before. */
export async function switchTo(release: string, path: string): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  // Before the first build, there may be no folder `build` for an output `build/www`.
  for (const folder of makeDirectory(dirname(path))) await syncDirectory(folder);
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

/** The release that a path leads to; undefined where it leads to none of these. */
export function presentRelease(releases: string, path: string): string | undefined {
  try {
    const release = join(releases, basename(fs.readlinkSync(path)));
    return RELEASE.test(basename(release)) && fs.existsSync(release) ? release : undefined;
  } catch (error) {
    if (isGone(error) || systemCode(error) === 'EINVAL') return undefined;
    throw error;
  }
}

/**
 * Removes what is left of earlier releases, but for the last five.
 *
 * @param kept the names of others that stay, such as one that the owner has gone back to.
 */
export function removeOldReleases(releases: string, kept: readonly string[]): void {
  const names = fs.readdirSync(releases);
  const last = names
    .filter((name) => RELEASE.test(name))
    .toSorted()
    .slice(-KEPT);
  for (const name of names.filter((one) => !last.includes(one) && !kept.includes(one))) {
    // Half removed, it must not pass for a whole one.
    const removed = name.startsWith('.') ? name : `.removed-${name}`;
    if (removed !== name) fs.renameSync(join(releases, name), join(releases, removed));
    fs.rmSync(join(releases, removed), { recursive: true, force: true });
  }
}
