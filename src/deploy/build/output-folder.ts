import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { FILES_AT_A_TIME, filesIn, type OnSkipped } from '../folder-files.js';
import { fillFolder, makeRelease, removeOldReleases, switchTo } from '../releases.js';

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
  /** The names of outputs that are being read, such as by a deploy; these are not removed. @default none */
  inUse?(): readonly string[];
  /** Called with each symbolic link of the new output that is left out, and why. */
  readonly onSkipped?: OnSkipped;
}

/** The digests of an output's files, by their names relative to it, with forward slashes. */
type Digests = ReadonlyMap<string, string>;

/**
 * Replaces a site's output by a new one. A web server that serves `path` has the files of one build at any moment, where
 * `path` can be a symbolic link. Files that are equal stay the same files, and keep their times.
 *
 * @param built the folder that was built; it is only read.
 * @returns what differs; where nothing does, nothing is replaced.
 * @throws the system's errors; the output is the old one then, unless it stays a folder.
 */
export async function replaceOutput(
  built: string,
  { path, outputsDir, staysFolder, inUse = () => [], onSkipped }: OutputPlace,
): Promise<ChangedFiles> {
  const current = fs.existsSync(path) ? fs.realpathSync(path) : undefined;
  const after = await digestsOf(built, onSkipped);
  const before = current === undefined ? new Map<string, string>() : await digestsOf(current);
  const changed = changedFiles(before, after);
  const isSame = changed.written.length + changed.removed.length === 0;
  if (current !== undefined && isSame) return changed;
  const isSameFile = (file: string) => before.get(file) === after.get(file);
  const source = { output: built, files: [...after.keys()], previous: current, isSame: isSameFile };
  if (staysFolder) {
    fs.mkdirSync(path, { recursive: true });
    await fillFolder(path, source, { isThere: isSameFile });
    return changed;
  }
  const kept = () => [current, ...inUse().map((name) => join(outputsDir, name))];
  await switchTo(await makeRelease(outputsDir, source, kept()), path);
  await removeOldReleases(outputsDir, kept());
  return changed;
}

/** The digests of all files of a folder. Symbolic links count as what they lead to. */
async function digestsOf(root: string, onSkipped?: OnSkipped): Promise<Digests> {
  const digests = new Map<string, string>();
  await eachAtATime(FILES_AT_A_TIME, await filesIn(root, onSkipped), async (file) => {
    digests.set(file, digestOf(await fs.promises.readFile(join(root, file))));
  });
  return digests;
}

function changedFiles(before: Digests, after: Digests): ChangedFiles {
  return {
    written: [...after.keys()].filter((file) => before.get(file) !== after.get(file)).toSorted(),
    removed: [...before.keys()].filter((file) => !after.has(file)).toSorted(),
  };
}

function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data);
}
