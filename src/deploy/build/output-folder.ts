import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { systemCode } from '../../errors.js';
import { makeDirectory, syncDirectory, syncFile, writeAtomically } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { isGone } from '../../store/catalog/entry.js';
import { FILES_AT_A_TIME, filesIn, type OnSkipped, tryLink } from '../folder-files.js';

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
  const target = join(outputsDir, randomBytes(8).toString('hex'));
  await assemble(built, target, { from: current, before, after });
  await switchTo(target, path);
  removeOthers(outputsDir, [...inUse(), ...[target, current].flatMap((one) => one ?? [])]);
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

/** Makes the new output: of the old one's files where they are equal, and of copies of the others. */
async function assemble(
  built: string,
  target: string,
  { from, before, after }: { from: string | undefined; before: Digests; after: Digests },
): Promise<void> {
  const folders = new Set<string>([target]);
  for (const file of after.keys()) folders.add(dirname(join(target, file)));
  for (const folder of folders) fs.mkdirSync(folder, { recursive: true });
  await eachAtATime(FILES_AT_A_TIME, [...after.keys()], async (file) => {
    const path = join(target, file);
    const isEqual = from !== undefined && before.get(file) === after.get(file);
    if (isEqual && (await tryLink(join(from, file), path))) return;
    await fs.promises.copyFile(join(built, file), path, fs.constants.COPYFILE_FICLONE);
    await fs.promises.chmod(path, 0o644);
    await syncFile(path);
  });
  for (const folder of folders) await syncDirectory(folder);
}

/** Lets a path lead to a new output, by one rename; a folder that is there the first time is moved away before. */
async function switchTo(target: string, path: string): Promise<void> {
  const suffix = randomBytes(6).toString('hex');
  // Before the first build, there may be no folder `build` for an output `build/www`.
  for (const folder of makeDirectory(dirname(path))) await syncDirectory(folder);
  const link = join(dirname(path), `.pressmark-${suffix}.tmp`);
  const linkTarget = relative(fs.realpathSync(dirname(path)), fs.realpathSync(target));
  fs.symlinkSync(linkTarget, link);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  try {
    if (stat?.isDirectory() === true) {
      const old = join(dirname(target), `before-${suffix}`);
      fs.renameSync(path, old);
      try {
        fs.renameSync(link, path);
      } catch (error) {
        fs.renameSync(old, path);
        throw error;
      }
    } else fs.renameSync(link, path);
  } catch (error) {
    fs.rmSync(link, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
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

/** Removes the outputs of earlier builds; the one before stays for requests that are being answered. */
function removeOthers(outputsDir: string, kept: readonly string[]): void {
  const names = kept.map((path) => basename(path));
  for (const name of fs.readdirSync(outputsDir))
    if (!names.includes(name)) fs.rmSync(join(outputsDir, name), { recursive: true, force: true });
}

function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data);
}
