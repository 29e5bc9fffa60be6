import fs from 'node:fs';

/** A file's text, and its status at that moment. */
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
