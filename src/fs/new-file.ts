import fs from 'node:fs';
import { putNew, stageHere } from './atomic-write.js';
import { type Stamp, stampOf } from './stamp.js';

/** A file that is to be made where none is yet. */
export interface NewFile {
  /** The folder where it is written before it gets its name; on the file system of that. */
  readonly staging: string;
  readonly target: string;
  /** Its bytes. In shared memory they are not copied for the thread that writes them. */
  readonly data: Uint8Array;
}

/**
 * Writes a file, waits until it is on the disk, and gives it its name, never over a file that is there. Its folder is
 * still to be synced. Making and naming it hold the thread up where the disk commits its own journal just then; it must be
 * one that no delivery waits for.
 *
 * @returns undefined where `target` exists already.
 * @throws the system's errors; nothing was changed then.
 */
export async function makeNewFile({ staging, target, data }: NewFile): Promise<Stamp | undefined> {
  const { temp, stat } = await stageHere(staging, data);
  try {
    return putNew(temp, target) ? stampOf(stat) : undefined;
  } finally {
    drop(temp);
  }
}

function drop(temp: string): void {
  try {
    fs.unlinkSync(temp);
  } catch {
    // renamed, or swept by the next start; nothing that was promised has failed
  }
}
