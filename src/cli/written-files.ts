import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, PressmarkError, quote } from '../errors.js';

/** Refuses files in missing folders, before a command does anything. @throws PressmarkError USAGE */
export function requireFoldersOf(...files: readonly (string | undefined)[]): void {
  for (const file of files)
    if (file !== undefined && !fs.statSync(dirname(resolve(file)), { throwIfNoEntry: false })?.isDirectory())
      throw new PressmarkError('USAGE', `the folder of ${quote(file, 200)} is not there; make it first`);
}

/**
 * Makes a folder that a person named, if it is missing; the folder above it must exist.
 *
 * @throws PressmarkError USAGE
 */
export function makeNamedFolder(folder: string): void {
  try {
    // Not recursive: for a path in /proc, Node.js would never return.
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) fs.mkdirSync(folder);
  } catch (cause) {
    throw new PressmarkError(
      'USAGE',
      `the folder ${quote(folder, 200)} cannot be made: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Writes a file that a person named. @throws PressmarkError USAGE */
export function writeNamed(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (cause) {
    throw new PressmarkError('USAGE', `${quote(file, 200)} cannot be written: ${messageOf(cause)}`, {
      cause,
    });
  }
}
