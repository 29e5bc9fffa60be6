import fs from 'node:fs';
import { systemCode } from '../../errors.js';

const LF = 0x0a;

/** More than the first line ever has: a path of the longest kind, escaped. */
const FIRST_LINE_BYTES = 32_768;

/** The first line of the file at `path`; undefined where it has none, or is not there. */
export function headerOf(path: string): string | undefined {
  return readOpened(path, firstLine);
}

/** The first line of an open file; undefined where it has none. */
export function firstLine(fd: number): string | undefined {
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
export function* linesFrom(
  path: string,
  start: number,
  size: number,
): Generator<{ lines: string[]; end: number }> {
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
