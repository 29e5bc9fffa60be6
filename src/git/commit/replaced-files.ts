import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { systemCode } from '../../errors.js';
import { discard, makeDirectory, type Staged, stage, syncDirectory } from '../../fs/atomic-write.js';
import { filesBelow } from '../../fs/files-below.js';

/** The folder below the state folder for texts that were replaced before git had them. */
export const REPLACED = 'replaced';

/** The store of replaced texts; see `createReplacedFiles`. */
export interface ReplacedFiles {
  /**
   * Keeps a text as a file that is durable when this resolves; one file, however often it is kept.
   *
   * @param path the article's file, relative to the site's folder.
   * @returns the file, relative to the state folder.
   */
  keep(path: string, bytes: Buffer): Promise<string>;
  /** Removes a file that `keep` has made, as git has its text by now. */
  remove(file: string): Promise<void>;
}

/**
 * Keeps texts that an update replaces although git does not have them, each as a plain file:
 * `.pressmark/replaced/<the article's path>/<UTC time>-<digest>.md`.
 *
 * @param stateDir absolute.
 * @param staging a folder on the same file system for what is half written; absolute.
 */
export function createReplacedFiles(stateDir: string, staging: string): ReplacedFiles {
  async function keep(path: string, bytes: Buffer): Promise<string> {
    const ending = `-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.md`;
    const known = await fileWith(path, ending, bytes);
    const time = new Date().toISOString().replaceAll(':', '-');
    const file = known ?? join(REPLACED, path, `${time}${ending}`);
    const target = join(stateDir, file);
    if (known === undefined) await write(target, bytes);
    for (let folder = dirname(target); folder.startsWith(stateDir); folder = dirname(folder))
      await syncDirectory(folder);
    return withSlashes(file);
  }

  /** A file of this article that has exactly these bytes; it may not be durable yet. */
  async function fileWith(path: string, ending: string, bytes: Buffer): Promise<string | undefined> {
    for (const file of replacedFiles(stateDir, path))
      if (file.endsWith(ending) && bytes.equals(await readFile(join(stateDir, file)))) return file;
    return undefined;
  }

  async function write(target: string, bytes: Buffer): Promise<void> {
    const { temp } = await stageAgain(bytes);
    try {
      makeDirectory(dirname(target));
      renameSync(temp, target);
    } catch (error) {
      discard(temp);
      throw error;
    }
  }

  /** The staging folder may have been removed meanwhile. */
  async function stageAgain(bytes: Buffer): Promise<Staged> {
    try {
      return await stage(staging, bytes);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      makeDirectory(staging);
      return stage(staging, bytes);
    }
  }

  return { keep, remove: (file) => rm(join(stateDir, file), { force: true }) };
}

/**
 * The texts that were replaced before git had them, oldest first for each article.
 *
 * @param path of one article only, where it is given; relative to the site's folder.
 * @returns files relative to the state folder, with forward slashes.
 */
export function replacedFiles(stateDir: string, path = ''): string[] {
  const folder = join(stateDir, REPLACED, path);
  return filesBelow(folder).map((file) => withSlashes(relative(stateDir, join(folder, file))));
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}
