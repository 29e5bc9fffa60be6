import { statSync } from 'node:fs';
import { systemCode } from '../errors.js';

/** Whether a path leads to a file. Where nothing is there, or links that lead in a circle, there is none. */
export function isFileAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return false;
    throw error;
  }
}
