import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { discard, stage, syncDirectory, syncFile } from '../../fs/atomic-write.js';
import { type Stamp, stampOf } from '../../fs/stamp.js';
import { type Entry, sameStamp } from '../catalog/entry.js';
import { dropUndo, renameOver } from './placing.js';

/** How often a file is written anew that a person saves meanwhile. */
const MAX_ATTEMPTS = 5;

/** What this process knows to be on the disk. */
export interface DurableFiles {
  /** Whether an entry's file is known to be on the disk as it is. */
  has(entry: Entry): boolean;
  add(path: string, stamp: Stamp): void;
  /**
   * Makes a file that is there as durable as if we had just written it, before it is acknowledged: another
   * process may have died between its rename and its sync.
   */
  ensure(entry: Entry): Promise<void>;
}

/**
 * @param root the content folder.
 * @param suspects paths whose last sync failed; the kernel takes their lost pages for clean, so that only a
 *   newly written file can be trusted.
 * @param confirm what else must be true of a file that is on the disk.
 */
export function createDurableFiles(
  root: string,
  suspects: Set<string>,
  confirm: (entry: Entry) => Promise<void>,
): DurableFiles {
  const stamps = new Map<string, Stamp>();

  function has({ path, stamp }: Entry): boolean {
    const known = stamps.get(path);
    return known !== undefined && sameStamp(known, stamp);
  }

  async function ensure(entry: Entry): Promise<void> {
    if (has(entry)) return;
    const target = fs.realpathSync(join(root, entry.path));
    let { stamp } = entry;
    if (suspects.has(entry.path)) stamp = await writtenAnew(target);
    else await syncFile(target);
    // Up to the site's folder, where a link may lead; what lies above is not ours, and may not be ours to open.
    const top = dirname(fs.realpathSync(root));
    for (let folder = dirname(target); ; folder = dirname(folder)) {
      await syncDirectory(folder);
      if (!folder.startsWith(`${top}${sep}`)) break;
    }
    await confirm(entry);
    suspects.delete(entry.path);
    stamps.set(entry.path, stamp);
  }

  return { has, ensure, add: (path, stamp) => stamps.set(path, stamp) };
}

/**
 * Writes a file's own content into a new file under its name. What a person saves meanwhile is kept, and written anew
 * in its turn.
 *
 * @returns the new file's stamp.
 * @throws PressmarkError REVISION_CONFLICT where a person saves again and again; the system's errors.
 */
async function writtenAnew(target: string): Promise<Stamp> {
  for (let attempt = 1; ; attempt++) {
    const { mode } = fs.statSync(target);
    const bytes = fs.readFileSync(target);
    const { temp, stat } = await stage(dirname(target), bytes, mode);
    try {
      const text = bytes.toString('utf8');
      const undo = renameOver(temp, target, text);
      if (undo !== undefined) await dropUndo(undo, target, text);
      return stampOf(stat);
    } catch (error) {
      discard(temp);
      const isSaved = error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
      if (!isSaved || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
