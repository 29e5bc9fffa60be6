import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../errors.js';
import { discard, syncHere } from '../../fs/atomic-write.js';

const fdatasync = promisify(fs.fdatasync);

const LF = 0x0a;

/** More than the first line ever has: a path of the longest kind, escaped. */
const FIRST_LINE_BYTES = 32_768;

/** Lines that are written at once. */
const LINES_PER_WRITE = 1_000;

/** A file of JSON lines to which several processes append in turn; see `openLineFile`. */
export type LineFile<Line> = ReturnType<typeof openLineFile<Line>>;

/**
 * A file of JSON lines to which several processes append in turn, kept apart by a lock. Its first line says what the file
 * is about, and holds a random id, by which a reader sees that the file was begun anew.
 *
 * @param subject what the file is about; a file about something else is begun anew by the first line that is appended.
 * @param snapshot the lines that such a file begins with.
 */
export function openLineFile<Line>(path: string, subject: object, snapshot: () => readonly Line[]) {
  const prefix = JSON.stringify(subject).slice(0, -1);
  let fd: number | undefined;
  /** The first line of the file that was read. */
  let header: string | undefined;
  /** Everything before this is known. */
  let offset = 0;
  let count = 0;

  /**
   * The lines that were added since the last call, undefined for each that a crash has torn, and whether they are all lines
   * of a file that was not known.
   */
  function readNew(): { isWhole: boolean; lines: Iterable<Line | undefined> } {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const found = size === 0 ? undefined : readOpened(path, firstLine);
    const isWhole = found === undefined || found !== header || size < offset;
    if (isWhole) [offset, count] = [0, 0];
    header = found?.startsWith(`${prefix},`) === true ? found : undefined;
    return { isWhole, lines: header !== undefined && size > offset ? readTo(size) : [] };
  }

  function* readTo(size: number): Generator<Line | undefined> {
    let isHeader = offset === 0;
    for (const { lines, end } of linesFrom(path, offset, size)) {
      for (const line of lines) {
        if (!isHeader) yield parsed<Line>(line);
        isHeader = false;
      }
      count += lines.length;
      offset = end;
    }
  }

  function append(lines: readonly Line[]): void {
    write(opened(), lines);
  }

  /** The file, opened where it is not. */
  function opened(): number {
    if (fd !== undefined) return fd;
    fs.mkdirSync(dirname(path), { recursive: true });
    fd = fs.openSync(path, 'a+');
    const { size } = fs.fstatSync(fd);
    if (header === undefined || firstLine(fd) !== header) {
      // New, or somebody has removed it and with it what was known.
      fs.ftruncateSync(fd);
      begin(fd, snapshot());
      syncHere(dirname(path)); // else its name may be lost with the power
    } else if (size > offset) {
      fs.writeSync(fd, '\n'); // the torn line of a process that was killed must not spoil ours
      offset = size + 1;
    }
    return fd;
  }

  /** Writes the first lines of a file that is empty. */
  function begin(file: number, lines: readonly Line[]): void {
    header = `${prefix},"made":"${randomUUID()}"}`;
    offset = writeText(file, `${header}\n`);
    count = 0;
    write(file, lines);
  }

  /** @returns how many bytes. @throws the system's error where not all of them could be written, as on a full disk. */
  function writeText(file: number, text: string): number {
    try {
      // Not writeSync, which may write less than it was given.
      fs.writeFileSync(file, text);
      return Buffer.byteLength(text);
    } catch (error) {
      close(); // whoever opens it again ends the line that was cut off
      throw error;
    }
  }

  function write(file: number, lines: readonly Line[]): void {
    for (let at = 0; at < lines.length; at += LINES_PER_WRITE) {
      const texts = lines.slice(at, at + LINES_PER_WRITE).map((line) => `${JSON.stringify(line)}\n`);
      offset += writeText(file, texts.join(''));
    }
    count += lines.length;
  }

  /** Puts a file of these lines, synced, into the place of the present one; that one stays where this fails. */
  function rewrite(lines: readonly Line[]): void {
    close();
    const known = { header, offset, count };
    const temp = `${path}.tmp`; // of one process at a time, which has the lock
    try {
      fd = fs.openSync(temp, 'w');
      begin(fd, lines);
      fs.fsyncSync(fd); // else a power loss leaves neither the new one nor the old one
      fs.renameSync(temp, path);
    } catch (error) {
      close();
      discard(temp);
      ({ header, offset, count } = known);
      throw error;
    }
    syncHere(dirname(path));
  }

  /** Closes the file until it is needed again. */
  function close(): void {
    if (fd !== undefined) fs.closeSync(fd);
    fd = undefined;
  }

  return {
    readNew,
    /** Opens the file, and begins it anew where it is not the one that was read last. */
    open: () => void opened(),
    append,
    rewrite,
    /** Waits until all lines are on the disk. */
    sync: () => fdatasync(opened()),
    /** The same for a thread that may be held up. */
    syncSync: () => fs.fdatasyncSync(opened()),
    close,
    count: () => count,
  };
}

/** A line as it was written; undefined for one that a crash has torn. */
function parsed<Line>(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** The first line of an open file; undefined where it has none. */
function firstLine(fd: number): string | undefined {
  const buffer = Buffer.alloc(FIRST_LINE_BYTES);
  const bytes = buffer.subarray(0, fs.readSync(fd, buffer, 0, buffer.length, 0));
  const end = bytes.indexOf(LF);
  return end === -1 ? undefined : bytes.toString('utf8', 0, end);
}

/**
 * The whole lines of a file from a position on, many at a time, with the position behind them.
 *
 * @param size how much of the file is read, in bytes from its beginning.
 */
function* linesFrom(path: string, start: number, size: number): Generator<{ lines: string[]; end: number }> {
  const fd = fs.openSync(path, 'r');
  try {
    let buffer = Buffer.allocUnsafe(1 << 20);
    /** How much of a line that has not ended yet is at the beginning of the buffer. */
    let held = 0;
    let position = start;
    for (;;) {
      if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
      const from = position + held;
      const count = fs.readSync(fd, buffer, held, Math.min(buffer.length - held, size - from), from);
      if (count === 0) return;
      const filled = held + count;
      const whole = buffer.lastIndexOf(LF, filled - 1) + 1;
      if (whole > 0)
        yield { lines: buffer.toString('utf8', 0, whole - 1).split('\n'), end: position + whole };
      buffer.copyWithin(0, whole, filled);
      held = filled - whole;
      position += whole;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** The last bytes of a file, fewer where it is shorter; undefined where there is no file. */
export function endOf(path: string, bytes: number): string | undefined {
  return readOpened(path, (fd) => {
    const buffer = Buffer.alloc(bytes);
    const start = Math.max(0, fs.fstatSync(fd).size - bytes);
    return buffer.toString('utf8', 0, fs.readSync(fd, buffer, 0, bytes, start));
  });
}

/** What `read` gives for the open file; undefined where there is no file. */
function readOpened<T>(path: string, read: (fd: number) => T): T | undefined {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return read(fd);
  } finally {
    fs.closeSync(fd);
  }
}
