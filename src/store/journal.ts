import fs from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** A journal longer than this is begun anew at the next start. */
const ROTATE_BYTES = 1_000_000;

/**
 * The file by which receivers on one directory tell each other which paths may have changed. Each path is
 * named before its rename, for those who read under the lock, and again after it, for those who read without.
 * A hint: the files are the truth, so the journal needs no fsync, and a torn or foreign line is skipped.
 */
export interface Journal {
  /** Names paths; under the lock. */
  append(paths: Iterable<string>): void;
  /** The paths that others named since the last call, or `everything` where that is not known. */
  news(): ReadonlySet<string> | 'everything';
  /** Begins a new file where the present one has grown long; under the lock. */
  rotate(): boolean;
  close(): void;
}

/** Opens the journal at `path`; what stands in it so far is old news. */
export function openJournal(path: string): Journal {
  let fd = fs.openSync(path, 'a+');
  let inode = fs.fstatSync(fd).ino;
  let offset = fs.fstatSync(fd).size;
  /** Whether a journal was begun anew before its end was read. */
  let missed = false;

  function append(paths: Iterable<string>): void {
    // The line end in front closes a line that somebody's full disk has cut off.
    const lines = `\n${[...paths].map((name) => `${checksum(name)} ${name}\n`).join('')}`;
    const ours = offset === fs.fstatSync(fd).size;
    fs.writeFileSync(fd, lines);
    // Our own lines are no news to us; were there others before them, all are read again.
    if (ours) offset += Buffer.byteLength(lines);
  }

  function news(): ReadonlySet<string> | 'everything' {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (missed || stat?.ino !== inode || stat.size < offset) {
      missed = false;
      reopen();
      return 'everything';
    }
    if (stat.size === offset) return new Set();
    const tail = Buffer.alloc(stat.size - offset);
    const length = fs.readSync(fd, tail, 0, tail.length, offset);
    const end = tail.subarray(0, length).lastIndexOf('\n') + 1;
    offset += end;
    return new Set(tail.toString('utf8', 0, end).split('\n').flatMap(pathIn));
  }

  function reopen(): void {
    // Somebody may have removed the whole state folder; nothing in it is missed.
    fs.mkdirSync(dirname(path), { recursive: true });
    const next = fs.openSync(path, 'a+');
    fs.closeSync(fd);
    fd = next;
    ({ ino: inode, size: offset } = fs.fstatSync(fd));
  }

  function rotate(): boolean {
    const { size } = fs.fstatSync(fd);
    if (size < ROTATE_BYTES) return false;
    missed ||= size !== offset;
    fs.writeFileSync(`${path}.new`, '');
    fs.renameSync(`${path}.new`, path);
    reopen();
    return true;
  }

  return { append, news, rotate, close: () => fs.closeSync(fd) };
}

function pathIn(line: string): string[] {
  const path = line.slice(9);
  return line[8] === ' ' && line.slice(0, 8) === checksum(path) ? [path] : [];
}

function checksum(path: string): string {
  return crc32(path).toString(16).padStart(8, '0');
}
