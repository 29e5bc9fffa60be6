import fs from 'node:fs';
import { messageOf, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import { invalid } from './invalid.js';

/**
 * Reads and writes a JSON file with which a receiver passes a value to the next receiver of the site.
 *
 * @param none the value if there is no file.
 * @param without what happens after the file is deleted, for the message: a sentence without its full stop.
 */
export function stateFile<T>(path: string, none: T, without: string) {
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
    write: (value: T): Promise<void> => writeAtomically(path, JSON.stringify(value)),
  };
}
