import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { messageOf, PressmarkError, quote } from '../errors.js';

/** Refuses files in missing folders, before a command does anything. @throws PressmarkError USAGE */
export function requireFoldersOf(...files: readonly (string | undefined)[]): void {
  for (const file of files)
    if (file !== undefined && !fs.statSync(dirname(resolve(file)), { throwIfNoEntry: false })?.isDirectory())
      throw new PressmarkError('USAGE', `the folder of ${quote(file, 200)} is not there; make it first`);
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
