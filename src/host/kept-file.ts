import fs from 'node:fs';
import { messageOf, systemCode } from '../errors.js';

/**
 * Reads what the last receiver has kept in a file of JSON.
 *
 * @param none what there is where it has kept nothing.
 * @param without what follows if the file is deleted, for the message.
 * @throws Error where it cannot be read.
 */
export function readKept<T>(path: string, none: T, without: string): T {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return none;
    throw new Error(`${path} cannot be read: ${messageOf(error)}; without it, ${without}`);
  }
}
