import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { systemCode } from '../errors.js';
import { discard, syncDirectory, tempPath } from '../fs/atomic-write.js';
import { isGone } from '../store/catalog/entry.js';
import { copyFiles } from './folder-files.js';

/** So many releases are kept, the present one among them. */
const KEPT = 5;

/** A name such as `20261122T210500123Z-1f3a`, so that names sort by time. */
const RELEASE = /^\d{8}T\d{9}Z-[0-9a-f]{4}$/;

/** A copied time is exact to this, in milliseconds. */
const CLOCK_MS = 0.01;

/**
 * Makes a release, which is on the disk then: a file that the present release has alike is the same file in both, others are
 * copied. It has another name until it is whole. Older ones are removed.
 *
 * @param folder of all releases, absolute.
 * @param current the symbolic link to the present release, absolute.
 * @param output the folder that has the files, absolute; it is only read.
 * @param files all files, relative to the output, with forward slashes.
 * @returns the folder of the release.
 */
export async function makeRelease(
  folder: string,
  current: string,
  output: string,
  files: readonly string[],
): Promise<string> {
  const previous = presentRelease(folder, current);
  removeOldReleases(folder, previous);
  const next = join(folder, `.next-${randomBytes(6).toString('hex')}`);
  fs.mkdirSync(next, { recursive: true });
  try {
    for (const below of new Set(files.map(dirname))) fs.mkdirSync(join(next, below), { recursive: true });
    const isLinked = (file: string) =>
      previous !== undefined &&
      areAlike(join(previous, file), join(output, file)) &&
      tryLink(join(previous, file), join(next, file));
    const copies = files.filter((file) => !isLinked(file));
    await copyFiles(copies, output, next);
  } catch (error) {
    fs.rmSync(next, { recursive: true, force: true });
    throw error;
  }
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const release = join(folder, `${time}-${randomBytes(2).toString('hex')}`);
  fs.renameSync(next, release);
  await syncDirectory(folder);
  return release;
}

/** Lets the symbolic link `current` lead to a release, by one rename. */
export async function switchTo(release: string, current: string): Promise<void> {
  const link = tempPath(dirname(current));
  fs.symlinkSync(relative(dirname(current), release), link);
  try {
    fs.renameSync(link, current);
  } catch (error) {
    discard(link);
    throw error;
  }
  await syncDirectory(dirname(current));
}

/** Whether two files have the same size and time: a copy has the time of its original, and a build replaces what it changes. */
function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => fs.statSync(path, { throwIfNoEntry: false }));
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < CLOCK_MS;
}

/** Gives a file a second name. @returns false where the file system cannot do that. */
function tryLink(file: string, name: string): boolean {
  try {
    fs.linkSync(file, name);
    return true;
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

/** The release that a link leads to; undefined where it leads to none of these. */
function presentRelease(folder: string, current: string): string | undefined {
  try {
    const release = join(folder, basename(fs.readlinkSync(current)));
    return RELEASE.test(basename(release)) && fs.existsSync(release) ? release : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Removes what is left of earlier releases, but for the last five, and what a killed deploy has left.
 *
 * @param present stays, too: the owner may have gone back to an older one.
 */
function removeOldReleases(folder: string, present: string | undefined): void {
  const names = fs.readdirSync(folder);
  const last = names
    .filter((name) => RELEASE.test(name))
    .toSorted()
    .slice(-KEPT);
  for (const name of names.filter((one) => !last.includes(one) && join(folder, one) !== present)) {
    // Half removed, it must not pass for a whole one.
    const removed = name.startsWith('.') ? name : `.removed-${name}`;
    if (removed !== name) fs.renameSync(join(folder, name), join(folder, removed));
    fs.rmSync(join(folder, removed), { recursive: true, force: true });
  }
}
