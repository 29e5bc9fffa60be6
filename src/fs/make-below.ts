import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';

/**
 * Makes a folder and those between it and `top`, but never `top` itself. For a process that may outlive the receiver
 * that started it: where the site’s folder was removed meanwhile, it must not bring parts of it back.
 *
 * @param folder absolute; below `top`.
 * @throws the system's error, ENOENT where `top` is not there.
 */
export function makeBelow(top: string, folder: string): void {
  if (folder === top) return;
  makeBelow(top, dirname(folder));
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
