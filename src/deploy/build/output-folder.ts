import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { isGone } from '../../store/catalog/entry.js';
import { FILES_AT_A_TIME, filesIn, type OnSkipped } from '../folder-files.js';
import { makeRelease, removeOldReleases, switchTo } from '../releases.js';

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
  if (staysFolder) {
    await updateFolder(built, path, changed);
    return changed;
  }
  const isEqual = (file: string) => before.get(file) === after.get(file);
  const source = { output: built, files: [...after.keys()], previous: current, isSame: isEqual };
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

function isFolderAt(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory();
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await fs.promises.unlink(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

function changedFiles(before: Digests, after: Digests): ChangedFiles {
  return {
    written: [...after.keys()].filter((file) => before.get(file) !== after.get(file)).toSorted(),
    removed: [...before.keys()].filter((file) => !after.has(file)).toSorted(),
  };
}

/** Replaces the changed files of a folder one by one, new pages before those that are removed. */
async function updateFolder(built: string, path: string, { written, removed }: ChangedFiles): Promise<void> {
  for (const file of written) {
    const target = join(path, file);
    clearWay(path, file);
    fs.mkdirSync(dirname(target), { recursive: true });
    await writeAtomically(target, await fs.promises.readFile(join(built, file)));
  }
  for (const file of removed) {
    if (isFolderAt(join(path, file))) continue; // a page of the new output is in it
    await unlinkIfThere(join(path, file));
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
      if (!removeIfEmpty(join(path, folder))) break;
  }
}

/** Removes what keeps a file from its place: a file where its folder goes, or a folder where the file goes. */
function clearWay(root: string, file: string): void {
  const names = file.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const stat = fs.lstatSync(join(root, ...names.slice(0, depth)), { throwIfNoEntry: false });
    if (stat?.isFile() === true) fs.rmSync(join(root, ...names.slice(0, depth)));
  }
  if (isFolderAt(join(root, file))) fs.rmSync(join(root, file), { recursive: true });
}

function removeIfEmpty(folder: string): boolean {
  try {
    fs.rmdirSync(folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data);
}
