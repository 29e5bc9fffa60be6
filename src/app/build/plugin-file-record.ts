import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow, removeFile } from '../../deploy/folder-files.js';
import { writeAtomically } from '../../fs/atomic-write.js';

/** Files that plugins have added to an output: the digests of their bytes by their paths, with forward slashes. */
export type PluginFileDigests = ReadonlyMap<string, string>;

/** The record of the files that plugins have added to an output, for generators that do not empty it. */
export interface PluginFileRecord {
  read(): PluginFileDigests;
  /** Removes the files of before that are not in `now`, unless somebody has changed them since, and keeps `now`. */
  replace(now: PluginFileDigests): Promise<void>;
}

/**
 * Opens the record of one output.
 *
 * @param stateDir where the record is.
 * @param output the output folder, absolute.
 */
export function openPluginFileRecord(stateDir: string, output: string): PluginFileRecord {
  const path = join(stateDir, 'plugin-files', `${hash('sha256', output).slice(0, 32)}.json`);

  function read(): PluginFileDigests {
    if (!fs.existsSync(path)) return new Map();
    const files: Readonly<Record<string, string>> = JSON.parse(fs.readFileSync(path, 'utf8'));
    return new Map(Object.entries(files));
  }

  async function replace(now: PluginFileDigests): Promise<void> {
    const before = read();
    if (before.size === 0 && now.size === 0) return;
    for (const [file, digest] of before)
      if (!now.has(file) && fileDigest(output, file) === digest) removeFile(output, file);
    fs.mkdirSync(dirname(path), { recursive: true });
    await writeAtomically(path, JSON.stringify(Object.fromEntries(now)));
  }

  return { read, replace };
}

/** The digest of a file of an output; undefined where it has none there, or a link leads out of it. */
export function fileDigest(output: string, file: string): string | undefined {
  const target = join(output, file);
  if (fs.lstatSync(target, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  if (!isBelow(fs.realpathSync(output), fs.realpathSync(target))) return undefined;
  return digestOf(fs.readFileSync(target));
}

/** What tells whether two files are the same. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
