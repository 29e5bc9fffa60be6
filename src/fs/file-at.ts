import { statSync } from 'node:fs';
import { systemCode } from '../errors.js';

/** Whether there is a file at a path, after following symbolic links; false if they form a loop. */
export function isFileAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return false;
    throw error;
  }
}
