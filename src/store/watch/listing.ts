import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isGone } from '../catalog/entry.js';

/** Others get a turn after so long, in milliseconds. */
const TURN_MS = 5;

/**
 * The entries of a folder, which may be 100,000: they are read from the system in small portions, as they are asked
 * for. There are none where the folder is gone.
 *
 * @throws the system's errors.
 */
export function* entriesOf(folder: string): Generator<fs.Dirent> {
  let directory: fs.Dir | undefined;
  try {
    directory = fs.opendirSync(folder, { bufferSize: 256 });
    for (let item = directory.readSync(); item !== null; item = directory.readSync()) yield item;
  } catch (error) {
    if (!isGone(error)) throw error; // else it was removed meanwhile
  } finally {
    directory?.closeSync();
  }
}

/** The turn of a long piece of work, which must not hold up deliveries. */
export interface Turn {
  /** Whether others have waited long enough. */
  isOver(): boolean;
  /** Resolves when others have had their turn. */
  next(): Promise<void>;
}

/** Begins a turn. */
export function beginTurn(): Turn {
  let end = performance.now() + TURN_MS;
  return {
    isOver: () => performance.now() > end,
    next: async () => {
      await nextTurn();
      end = performance.now() + TURN_MS;
    },
  };
}
