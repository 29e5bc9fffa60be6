import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { discard, isLeftover } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { filesBelow } from '../../fs/files-below.js';
import { filesIn, type OnSkipped, removeFile } from '../folder-files.js';
import { copyFiles, makeRelease, removeOldReleases, switchTo } from '../releases.js';

/** So many files are compared at a time, each of them whole in memory. */
const COMPARED_AT_A_TIME = 4;

/** The files that differ between two outputs, relative to the output folder, with forward slashes. */
export interface ChangedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/** Where the output of a site goes. */
export interface OutputPlace {
  /** The output folder, absolute: what a web server serves. */
  readonly path: string;
  /** The folder for the outputs themselves, absolute. */
  readonly outputsDir: string;
  /**
   * Whether `path` stays a folder, in which changed files are replaced one by one: where git tracks files in it, or where it
   * is a mount point. Otherwise `path` becomes a symbolic link to an output, which one rename replaces.
   */
  readonly staysFolder: boolean;
  /** The names of outputs that are being deployed; these are not removed. @default none */
  inUse?(): readonly string[];
  /** Called with each symbolic link of the new output that is left out, and why. */
  readonly onSkipped?: OnSkipped;
}

/**
 * Replaces a site's output by a new one. A web server that serves `path` has the files of one build at any moment, where
 * `path` can be a symbolic link. Files that are equal stay the same files, and keep their times.
 *
 * @param built the folder that was built; it is only read.
 * @returns what differs; where nothing does, nothing is replaced.
 * @throws the system's errors; the output is the old one then, unless it stays a folder.
 */
export async function replaceOutput(built: string, place: OutputPlace): Promise<ChangedFiles> {
  const { path, outputsDir, staysFolder, inUse = () => [] } = place;
  const current = fs.existsSync(path) ? fs.realpathSync(path) : undefined;
  const files = filesIn(built, place.onSkipped);
  const before = new Set(current === undefined ? [] : filesIn(current));
  const same = new Set<string>();
  await eachAtATime(COMPARED_AT_A_TIME, files, async (file) => {
    if (before.has(file) && (await areEqual(join(path, file), join(built, file)))) same.add(file);
  });
  const written = files.filter((file) => !same.has(file)).toSorted();
  const wanted = new Set(files);
  const removed = [...before].filter((file) => !wanted.has(file)).toSorted();
  if (current !== undefined && written.length + removed.length === 0) return { written, removed };
  if (staysFolder) {
    // What a killed build has left; no other process builds this output.
    for (const file of filesBelow(path)) if (isLeftover(basename(file))) discard(join(path, file));
    for (const file of removed) removeFile(path, file);
    // A folder without files may stand where a file is to be.
    for (const file of written)
      if (fs.lstatSync(join(path, file), { throwIfNoEntry: false })?.isDirectory() === true)
        removeEmptyFolders(join(path, file));
    for (const folder of new Set(written.map(dirname))) fs.mkdirSync(join(path, folder), { recursive: true });
    await copyFiles(written, built, path);
  } else {
    const isSame = (file: string) => same.has(file);
    await switchTo(await makeRelease(outputsDir, { output: built, files, previous: current, isSame }), path);
    removeOldReleases(outputsDir, inUse());
  }
  return { written, removed };
}

/** @throws ENOTEMPTY where anything else than folders is in it, such as a link that is no file of the output. */
function removeEmptyFolders(folder: string): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  fs.rmdirSync(folder);
}

async function areEqual(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([fs.promises.stat(a), fs.promises.stat(b)]);
  if (one.size !== other.size) return false;
  const [text, otherText] = await Promise.all([fs.promises.readFile(a), fs.promises.readFile(b)]);
  return text.equals(otherText);
}
