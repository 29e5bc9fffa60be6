import fs from 'node:fs';
import { isGone } from '../errors.js';

/** A file's text, and its status when it was read. */
export interface ReadText {
  readonly text: string;
  readonly stat: fs.Stats;
}

/** Reads a file. @throws the system's error. */
export function readText(path: string): ReadText {
  const fd = fs.openSync(path, 'r');
  try {
    const stat = fs.fstatSync(fd);
    return { text: fs.readFileSync(fd, 'utf8'), stat };
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads the text of a file; empty if there is no file. */
export function readOrEmpty(path: string): string {
  try {
    return readText(path).text;
  } catch (error) {
    if (isGone(error)) return '';
    throw error;
  }
}
