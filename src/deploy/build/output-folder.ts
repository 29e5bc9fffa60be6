import fs from 'node:fs';
import { join } from 'node:path';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { filesIn, type OnSkipped } from '../folder-files.js';
import { makeRelease, presentRelease, removeOldReleases, switchTo } from '../releases.js';

/** How many files are compared at a time, each of them whole in memory. */
const COMPARED_AT_A_TIME = 4;

/** The files that differ between two outputs, relative to the output folder, with forward slashes. */
export interface ChangedFiles {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/** The place of a site's output. */
export interface OutputPlace {
  /** The output folder that a web server serves, absolute. It becomes a symbolic link to an output. */
  readonly path: string;
  /** The folder of the outputs themselves, absolute. */
  readonly outputsDir: string;
  /** The names of outputs that are being deployed, which are not removed. @default none */
  inUse?(): readonly string[];
  /** Called with each symbolic link of the new output, which is left out. */
  readonly onSkipped?: OnSkipped;
}

/**
 * Replaces a site's output by a single rename, so that a web server at `path` always serves the files of one build. Equal files
 * are hard links to the earlier ones, and keep their times.
 *
 * @param built the folder of the build; it is only read.
 * @returns the changed files; without any, the output is not replaced.
 * @throws the system's errors; then the old output stays.
 */
export async function replaceOutput(built: string, place: OutputPlace): Promise<ChangedFiles> {
  const { path, outputsDir, inUse = () => [] } = place;
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
  if (presentRelease(outputsDir, path) === undefined || written.length + removed.length > 0) {
    const isSame = (file: string) => same.has(file);
    await switchTo(await makeRelease(outputsDir, { output: built, files, previous: current, isSame }), path);
    removeOldReleases(outputsDir, inUse());
  }
  return { written, removed };
}

async function areEqual(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([fs.promises.stat(a), fs.promises.stat(b)]);
  if (one.size !== other.size) return false;
  const [text, otherText] = await Promise.all([fs.promises.readFile(a), fs.promises.readFile(b)]);
  return text.equals(otherText);
}
