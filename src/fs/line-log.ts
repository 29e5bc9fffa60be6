import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';
import { syncDirectory, syncFile, writeAtomically } from './atomic-write.js';
import { takeKernelLock } from './lock.js';
import { findLockHelper } from './lock-helper.js';

/** How long the end of another process's shortening is waited for, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * A file of JSON, a value in each line, to which several processes append.
 *
 * @param isLine whether a value is one of these lines; others are left out.
 */
export function openLineLog<Line>(path: string, isLine: (value: unknown) => value is Line) {
  let read = { ino: 0, bytes: 0 };

  /** Appends lines; they are durable after `sync`. @throws the system's error; the file may have a part of them then. */
  function append(lines: readonly Line[]): void {
    const text = textOf(lines);
    // Again where another process has put a shorter file into its place.
    while (appendTo(text) !== fs.statSync(path, { throwIfNoEntry: false })?.ino);
  }

  /** @returns the file's inode. */
  function appendTo(text: string): number {
    const fd = opened();
    try {
      fs.writeFileSync(fd, text); // goes on after short writes, unlike a single write
      const { ino, size } = fs.fstatSync(fd);
      // What nobody else has added to need not be read again.
      if (ino === read.ino && size === read.bytes + Buffer.byteLength(text)) read.bytes = size;
      return ino;
    } finally {
      fs.closeSync(fd);
    }
  }

  function opened(): number {
    try {
      return fs.openSync(path, 'a', 0o600);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      fs.mkdirSync(dirname(path), { recursive: true });
      return fs.openSync(path, 'a', 0o600);
    }
  }

  /** What was appended since the last call, mostly by other processes; everything, where another file stands there by now. */
  function news(): Line[] {
    const { ino, size } = fs.statSync(path, { throwIfNoEntry: false }) ?? { ino: 0, size: 0 };
    if (ino !== read.ino || size < read.bytes) read = { ino, bytes: 0 };
    if (size === read.bytes) return [];
    const bytes = Buffer.alloc(size - read.bytes);
    const fd = fs.openSync(path, 'r');
    try {
      fs.readSync(fd, bytes, 0, bytes.length, read.bytes);
    } finally {
      fs.closeSync(fd);
    }
    // Another process may be in the middle of a line.
    const end = bytes.lastIndexOf('\n') + 1;
    read.bytes += end;
    return linesIn(bytes.toString('utf8', 0, end), isLine);
  }

  /** Its length in bytes; 0 if there is none. */
  function size(): number {
    return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * Replaces the file by a shorter one; what other processes append meanwhile stays. Only one process does so at a time:
   * another one would drop what is appended to the file that the first has put there. Durable when it resolves.
   *
   * @param keep which lines stay.
   * @throws PressmarkError LOCK_TIMEOUT; the system's errors.
   */
  async function shorten(keep: (lines: readonly Line[]) => readonly Line[]): Promise<void> {
    const fd = await takeKernelLock(path, findLockHelper(), WAIT_MS);
    try {
      await writeAtomically(path, textOf(keep(linesIn(fs.readFileSync(fd, 'utf8'), isLine))), 0o600);
      const since = fs.readFileSync(fd, 'utf8'); // it goes on where it ended
      if (since === '') return;
      fs.appendFileSync(path, `\n${since}`);
      await syncFile(path);
    } finally {
      fs.closeSync(fd);
    }
  }

  async function sync(): Promise<void> {
    await syncFile(path);
    await syncDirectory(dirname(path));
  }

  return { append, news, size, shorten, sync };
}

/** A line of JSON for each, after a break: what a killed process or a full disk has left may end within a line. */
export function textOf(lines: readonly unknown[]): string {
  return lines.map((line) => `\n${JSON.stringify(line)}\n`).join('');
}

/** The lines of a text; half a line is left out. */
export function linesIn<Line>(text: string, isLine: (value: unknown) => value is Line): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isLine(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
