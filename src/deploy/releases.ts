import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { systemCode } from '../errors.js';
import { discard, makeDirectory, syncDirectory, syncFile, tempPath } from '../fs/atomic-write.js';
import { eachAtATime } from '../fs/each-at-a-time.js';
import { isGone } from '../store/catalog/entry.js';
import { FILES_AT_A_TIME, filesIn } from './folder-files.js';
import { inTurns } from './in-turns.js';

/** What a folder is filled with. */
interface FolderSource {
  /** The folder that has the files, absolute; it is only read. */
  readonly output: string;
  /** All files, relative to the folder, with forward slashes. */
  readonly files: readonly string[];
  /** Whether copies have the times of their originals, by which they are compared later. @default false */
  readonly keepsTimes?: boolean;
}

/** What a release is made of. */
export interface ReleaseSource extends FolderSource {
  /** The folder of the release before; undefined where there is none. */
  readonly previous: string | undefined;
  /** Whether the release before has the same file. */
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
 * It is made of the oldest release, which need not be kept any more: each page may have a folder, and to make a folder takes
 * ten times as long as a link.
 *
 * @param releases the folder of all releases, absolute.
 * @param kept releases that must stay as they are, such as one that the owner has gone back to.
 * @returns the folder of the release.
 */
export async function makeRelease(
  releases: string,
  source: ReleaseSource,
  kept: readonly (string | undefined)[],
  signal?: AbortSignal,
): Promise<string> {
  const next = join(releases, `.next-${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(releases, { recursive: true });
  const [oldest, ...others] = namesIn(releases);
  const isFree = oldest !== undefined && !isAmong(oldest, [...kept, source.previous]);
  if (isFree && others.length >= KEPT - 1) fs.renameSync(join(releases, oldest), next);
  else fs.mkdirSync(next);
  const { previous, isSame } = source;
  const before = (file: string) =>
    previous !== undefined && isSame(file) ? join(previous, file) : undefined;
  try {
    await fillFolder(
      next,
      source,
      {
        isThere: (file) => isSameFile(before(file), join(next, file)),
        tryLink: (file) => tryLink(before(file), join(next, file)),
      },
      signal,
    );
  } catch (error) {
    await fs.promises.rm(next, { recursive: true, force: true });
    throw error;
  }
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const release = join(releases, `${time}-${randomBytes(2).toString('hex')}`);
  fs.renameSync(next, release);
  await syncDirectory(releases);
  return release;
}

/** Whether a name is that of one of these releases, whatever links are in their paths. */
function isAmong(name: string, releases: readonly (string | undefined)[]): boolean {
  return releases.some((path) => path !== undefined && basename(path) === name);
}

/** The names of the releases in a folder, the oldest first. */
function namesIn(releases: string): string[] {
  return fs
    .readdirSync(releases)
    .filter((name) => RELEASE.test(name))
    .toSorted();
}

/** What a folder has already, and what can be linked instead of copied. */
interface FolderShortcuts {
  /** Whether a file is there as it should be. Called for files that are there. */
  isThere(file: string): boolean;
  /** Links a file that need not be copied. @returns whether it did. */
  tryLink?(file: string): boolean;
}

/**
 * Lets a folder have exactly these files, which are on the disk then. What differs is replaced, each file by one rename; what
 * is not among the files is removed before.
 */
export async function fillFolder(
  folder: string,
  { output, files, keepsTimes = false }: FolderSource,
  { isThere, tryLink: link = () => false }: FolderShortcuts,
  signal?: AbortSignal,
): Promise<void> {
  const wanted = new Set(files);
  const found = new Set(await filesIn(folder));
  const needless = [...found].filter((file) => !wanted.has(file));
  await inTurns(needless, (file) => removeFile(folder, file), signal);
  const folders = new Set(
    files.filter((file) => !found.has(file)).map((file) => dirname(join(folder, file))),
  );
  await inTurns(folders, (one) => fs.mkdirSync(one, { recursive: true }), signal);
  const copies: string[] = [];
  await inTurns(
    files,
    (file) => {
      const isDone = (found.has(file) && isThere(file)) || link(file);
      if (!isDone) copies.push(file);
    },
    signal,
  );
  /** The folders with a copy in them, and those around. To sync all others takes longer than all the rest. */
  const changed = new Set([folder]);
  await eachAtATime(FILES_AT_A_TIME, copies, async (file) => {
    signal?.throwIfAborted();
    const path = join(folder, file);
    for (let at = dirname(path); !changed.has(at); at = dirname(at)) changed.add(at);
    try {
      await copy(join(output, file), path, keepsTimes);
    } catch (error) {
      if (!isGone(error)) throw error;
      // A build has removed it since; the deploy of that build follows.
    }
  });
  await eachAtATime(FILES_AT_A_TIME, changed, syncDirectory);
}

/** Removes a file, and the folders that are empty then. */
function removeFile(root: string, file: string): void {
  fs.unlinkSync(join(root, file));
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    try {
      fs.rmdirSync(join(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return;
      throw error;
    }
  }
}

/** Whether two names are those of one file. */
function isSameFile(a: string | undefined, b: string): boolean {
  if (a === undefined) return false;
  const [one, other] = [a, b].map((path) => fs.lstatSync(path, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** Copies a file, by one rename, and syncs it. */
async function copy(file: string, path: string, keepsTimes: boolean): Promise<void> {
  const temp = tempPath(dirname(path));
  try {
    await fs.promises.copyFile(file, temp, fs.constants.COPYFILE_FICLONE);
    if (keepsTimes) {
      const { atime, mtime } = await fs.promises.stat(file);
      await fs.promises.utimes(temp, atime, mtime);
    }
    await fs.promises.chmod(temp, 0o644);
    await syncFile(temp);
    await fs.promises.rename(temp, path);
  } catch (error) {
    discard(temp);
    throw error;
  }
}

/** Gives a file a second name. @returns false where the file system cannot do that, or where the file is a symbolic link. */
function tryLink(file: string | undefined, name: string): boolean {
  try {
    if (file === undefined || fs.lstatSync(file).isSymbolicLink()) return false;
    fs.rmSync(name, { force: true });
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
  const link = join(dirname(path), `.pressmark-${suffix}.tmp`);
  fs.symlinkSync(relative(fs.realpathSync(dirname(path)), fs.realpathSync(release)), link);
  const isFolder = fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const old = join(dirname(release), `.removed-${suffix}`);
  try {
    if (isFolder) fs.renameSync(path, old);
    fs.renameSync(link, path);
  } catch (error) {
    if (isFolder && fs.existsSync(old)) fs.renameSync(old, path);
    fs.rmSync(link, { force: true });
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

/** Removes what is left of earlier releases, but for the last five and those that are kept, such as one that the owner has gone back to. */
export async function removeOldReleases(
  releases: string,
  kept: readonly (string | undefined)[],
): Promise<void> {
  const last = namesIn(releases).slice(-KEPT);
  const isKept = (name: string) => last.includes(name) || isAmong(name, kept);
  for (const name of fs.readdirSync(releases).filter((one) => !isKept(one))) {
    // Half removed, it must not pass for a whole one.
    const removed = name.startsWith('.') ? name : `.removed-${name}`;
    if (removed !== name) await fs.promises.rename(join(releases, name), join(releases, removed));
    await fs.promises.rm(join(releases, removed), { recursive: true, force: true });
  }
}
