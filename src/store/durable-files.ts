import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { stage, syncDirectory, syncFile } from '../fs/atomic-write.js';
import type { Stamp } from '../fs/stamp.js';
import { type Entry, sameStamp } from './entry.js';

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
    if (suspects.has(entry.path)) {
      const { temp } = await stage(dirname(target), fs.readFileSync(target));
      fs.renameSync(temp, target);
    } else await syncFile(target);
    // Up to the site's folder, where a link may lead; what lies above is not ours, and may not be ours to open.
    const top = dirname(fs.realpathSync(root));
    for (let folder = dirname(target); ; folder = dirname(folder)) {
      await syncDirectory(folder);
      if (!folder.startsWith(`${top}${sep}`)) break;
    }
    await confirm(entry);
    suspects.delete(entry.path);
    stamps.set(entry.path, entry.stamp);
  }

  return { has, ensure, add: (path, stamp) => stamps.set(path, stamp) };
}
