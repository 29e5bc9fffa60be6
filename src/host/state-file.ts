import fs from 'node:fs';
import { messageOf, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import { invalid } from './invalid.js';

/**
 * A JSON file that a receiver leaves for the next one.
 *
 * @param none the value if there is no file.
 * @param without the consequence of deleting the file, for the message.
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
