import fs from 'node:fs';
import { messageOf, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import { invalid } from './invalid.js';

/**
 * A file of JSON in which a receiver keeps something for the next one.
 *
 * @param none what there is where none has kept anything.
 * @param without what follows if the file is deleted, for the message.
 */
export function keptFile<T>(path: string, none: T, without: string) {
  return {
    /** @throws PressmarkError PLUGIN_INVALID if it cannot be read. */
    read(): T {
      try {
        return JSON.parse(fs.readFileSync(path, 'utf8')) as T;
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return none;
        throw invalid(`${path} cannot be read: ${messageOf(error)}; without it, ${without}`);
      }
    },
    write: (kept: T): Promise<void> => writeAtomically(path, JSON.stringify(kept)),
  };
}
