import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { discard, isLeftover } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { filesBelow } from '../../fs/files-below.js';
import { copyFiles, filesIn, type OnSkipped, removeFile } from '../folder-files.js';

/** So many files are compared at a time, each of them whole in memory. */
const COMPARED_AT_A_TIME = 4;

/** The files that differ between two outputs, relative to the output folder, with forward slashes. */
export interface ChangedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Makes the output folder of a site hold what was built: files that differ are replaced one by one, each by one rename, and
 * what was not built is removed. Files that are equal stay the same files, and keep their times.
 *
 * @param built the folder that was built; it is only read.
 * @param path the output folder, absolute; it need not exist.
 * @param onSkipped called with each symbolic link that is left out.
 * @returns what differed.
 * @throws the system's errors; the output may then have files of both.
 */
export async function replaceOutput(
  built: string,
  path: string,
  onSkipped?: OnSkipped,
): Promise<ChangedFiles> {
  fs.mkdirSync(path, { recursive: true });
  // What a killed build has left; no other process builds this output.
  for (const file of filesBelow(path)) if (isLeftover(basename(file))) discard(join(path, file));
  const files = filesIn(built, onSkipped);
  const before = new Set(filesIn(path));
  const same = new Set<string>();
  await eachAtATime(COMPARED_AT_A_TIME, files, async (file) => {
    if (before.has(file) && (await areEqual(join(path, file), join(built, file)))) same.add(file);
  });
  const written = files.filter((file) => !same.has(file)).toSorted();
  const wanted = new Set(files);
  const removed = [...before].filter((file) => !wanted.has(file)).toSorted();
  const isInTheWay = standsInTheWayOf(written);
  for (const file of removed) if (isInTheWay(file)) removeFile(path, file);
  for (const folder of new Set(written.map(dirname))) fs.mkdirSync(join(path, folder), { recursive: true });
  // New pages link what is new, and old ones what goes.
  await copyFiles(
    written.filter((file) => !isPage(file)),
    built,
    path,
  );
  await copyFiles(written.filter(isPage), built, path);
  for (const file of removed) if (!isInTheWay(file)) removeFile(path, file);
  return { written, removed };
}

function isPage(file: string): boolean {
  return /\.x?html?$/i.test(file);
}

/** Tells of a file whether it is where one of these needs a folder, or below where one of these is to be. */
function standsInTheWayOf(written: readonly string[]): (file: string) => boolean {
  const files = new Set(written);
  const folders = new Set(written.flatMap(foldersOf));
  return (file) => folders.has(file) || foldersOf(file).some((folder) => files.has(folder));
}

/** The folders that a file is in, `a` and `a/b` for `a/b/c`. */
function foldersOf(file: string): string[] {
  const names = file.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

async function areEqual(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([fs.promises.stat(a), fs.promises.stat(b)]);
  if (one.size !== other.size) return false;
  const [text, otherText] = await Promise.all([fs.promises.readFile(a), fs.promises.readFile(b)]);
  return text.equals(otherText);
}
