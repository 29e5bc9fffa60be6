import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** Once a journal is longer than this, the next file is begun. */
const LONGEST_BYTES = 1_000_000;

/**
 * The file by which receivers on one directory inform each other of paths that may have changed. Each path is
 * named before its rename, for those who read under the lock, and again after it, for those who read without.
 * A hint: the files are the truth, so the journal needs no fsync, and a torn or foreign line is skipped.
 *
 * It is bounded: a long one is replaced by a new file, whose first line names the one before it. A reader still has that
 * one open, reads it to its end and goes on in the new one. Only a reader that has missed a whole file reads everything.
 */
export interface Journal {
  /** Names paths; under the lock. */
  append(paths: Iterable<string>): void;
  /** The paths that others named since the last call, or `everything` where that is not known. */
  news(): ReadonlySet<string> | 'everything';
  close(): void;
}

/** A journal file's first line. A version without such lines takes it for a foreign one. */
interface Header {
  readonly file: string;
  /** The file that this one has replaced. */
  readonly after: string | null;
}

/** A journal file that is open; its inode number alone would not distinguish it from a later one. */
interface Opened {
  readonly fd: number;
  readonly ino: number;
  readonly header: Header | undefined;
}

/** Opens the journal at `path`; what stands in it so far is old news. */
export function openJournal(path: string): Journal {
  let { fd, ino, header } = open(path);
  let offset = fs.fstatSync(fd).size;
  let longest = LONGEST_BYTES;
  /** Read, and not given out yet. */
  let unheard = new Set<string>();

  function append(paths: Iterable<string>): void {
    // The line end in front closes a line that somebody's full disk has cut off.
    const lines = `\n${[...paths].map((name) => `${checksum(name)} ${name}\n`).join('')}`;
    const { size } = fs.fstatSync(fd);
    fs.writeFileSync(fd, lines);
    const length = Buffer.byteLength(lines);
    // Our own lines hold nothing new; if there were others before them, all are read again.
    if (offset === size) offset += length;
    if (size + length > longest) replace();
  }

  /** Begins the next file. Where that fails, it is tried again later: no article may be refused for it. */
  function replace(): void {
    if (fs.statSync(path, { throwIfNoEntry: false })?.ino !== ino) return; // the next `news` goes on from there
    let next: Opened | undefined;
    try {
      const begun: Header = { file: randomUUID(), after: header?.file ?? null };
      fs.writeFileSync(`${path}.new`, `${JSON.stringify(begun)}\n`);
      // Opened first: what is appended after the rename must stand in the new file.
      next = open(`${path}.new`);
      readTail();
      fs.renameSync(`${path}.new`, path);
    } catch {
      if (next !== undefined) fs.closeSync(next.fd);
      longest += LONGEST_BYTES;
      return;
    }
    moveOn(next);
    offset = fs.fstatSync(fd).size;
    longest = LONGEST_BYTES;
  }

  function news(): ReadonlySet<string> | 'everything' {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.ino !== ino || stat.size < offset) {
      if (!follow()) return 'everything';
    } else if (stat.size > offset) readTail();
    const heard = unheard;
    if (heard.size > 0) unheard = new Set();
    return heard;
  }

  /** Goes on in the file that is there now; false where it does not continue what has been read. */
  function follow(): boolean {
    readTail();
    const before = header?.file;
    moveOn(open(path));
    const continues = before !== undefined && header?.after === before;
    offset = continues ? 0 : fs.fstatSync(fd).size;
    if (continues) readTail();
    else unheard = new Set();
    return continues;
  }

  function readTail(): void {
    const tail = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - offset));
    const length = fs.readSync(fd, tail, 0, tail.length, offset);
    const end = tail.subarray(0, length).lastIndexOf('\n') + 1;
    offset += end;
    for (const line of tail.toString('utf8', 0, end).split('\n')) {
      const name = nameIn(line);
      if (name !== undefined) unheard.add(name);
    }
  }

  function moveOn(next: Opened): void {
    fs.closeSync(fd);
    ({ fd, ino, header } = next);
  }

  return { append, news, close: () => fs.closeSync(fd) };
}

function open(path: string): Opened {
  // Somebody may have removed the whole state folder; nothing in it is missed.
  fs.mkdirSync(dirname(path), { recursive: true });
  const fd = fs.openSync(path, 'a+');
  return { fd, ino: fs.fstatSync(fd).ino, header: headerOf(fd) };
}

/** Longer than any first line. */
const HEADER_BYTES = 200;

/** Undefined for a file that has none: the first one, or one that an older version or a crash has left. */
function headerOf(fd: number): Header | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const top = bytes.toString('utf8', 0, fs.readSync(fd, bytes, 0, HEADER_BYTES, 0));
  try {
    const { file, after = null }: Partial<Header> = JSON.parse(top.split('\n', 1)[0] ?? '') ?? {};
    return typeof file === 'string' ? { file, after } : undefined;
  } catch {
    return undefined;
  }
}

function nameIn(line: string): string | undefined {
  const name = line.slice(9);
  return line[8] === ' ' && line.slice(0, 8) === checksum(name) ? name : undefined;
}

function checksum(path: string): string {
  return crc32(path).toString(16).padStart(8, '0');
}
