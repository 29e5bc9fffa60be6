import fs from 'node:fs';

/** A file's text, and its status at that moment. */
export interface ReadText {
  readonly text: string;
  readonly stat: fs.Stats;
}

/** Room for a file, used again and again; larger ones are read by other means. */
let room: Buffer | undefined;
const ROOM = 256 * 1024;

/** Reads a file at one go where that is possible: asked for a text, Node.js reads in small pieces. */
export function readText(path: string): ReadText {
  const fd = fs.openSync(path, 'r');
  try {
    const stat = fs.fstatSync(fd);
    return { text: textIn(fd, stat), stat };
  } finally {
    fs.closeSync(fd);
  }
}

function textIn(fd: number, { size }: fs.Stats): string {
  if (size >= ROOM) return fs.readFileSync(fd, 'utf8');
  room ??= Buffer.allocUnsafeSlow(ROOM);
  const count = fs.readSync(fd, room, 0, ROOM, 0);
  // Somebody may be writing just now.
  return count === ROOM ? fs.readFileSync(fd, 'utf8') : room.toString('utf8', 0, count);
}
