import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';
import { syncDirectory, syncFile, writeAtomically } from './atomic-write.js';
import { takeKernelLock } from './lock.js';
import { findLockHelper } from './lock-helper.js';

/** How long to wait while another process shortens the file, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * Opens a file of JSON lines that several processes append to.
 *
 * @param isLine whether a value is a valid line; others are left out.
 */
export function openLineLog<Line>(path: string, isLine: (value: unknown) => value is Line) {
  let read = { ino: 0, bytes: 0 };

  /** Appends lines; they are durable after `sync`. @throws the system's error; then the file may have a part of the lines. */
  function append(lines: readonly Line[]): void {
    const text = textOf(lines);
    // Append again if another process has just replaced the file by a shorter one.
    while (appendTo(text) !== fs.statSync(path, { throwIfNoEntry: false })?.ino);
  }

  /** @returns the file's inode. */
  function appendTo(text: string): number {
    const fd = opened();
    try {
      fs.writeFileSync(fd, text); // continues after short writes, unlike a single write
      const { ino, size } = fs.fstatSync(fd);
      // If no other process has appended, `news` can skip these lines.
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

  /**
   * Returns the lines that were appended since the last call, mostly by other processes; all lines if the file was replaced.
   */
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
    // The last line may be incomplete.
    const end = bytes.lastIndexOf('\n') + 1;
    read.bytes += end;
    return linesIn(bytes.toString('utf8', 0, end), isLine);
  }

  /** Returns the file's length in bytes; 0 if there is no file. */
  function size(): number {
    return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * Replaces the file by a shorter one, and keeps lines that other processes append in the meantime. A lock allows only one
   * process at a time: a second one would lose lines that are appended to the first one's file. Durable when it resolves.
   *
   * @param keep selects the lines to keep.
   * @throws PressmarkError LOCK_TIMEOUT; the system's errors.
   */
  async function shorten(keep: (lines: readonly Line[]) => readonly Line[]): Promise<void> {
    const fd = await takeKernelLock(path, findLockHelper(), WAIT_MS);
    try {
      await writeAtomically(path, textOf(keep(linesIn(fs.readFileSync(fd, 'utf8'), isLine))), 0o600);
      const since = fs.readFileSync(fd, 'utf8'); // continues where the last read ended
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

/**
 * Formats each value as a line of JSON with a line end before it, too: a killed process or a full disk may have left an
 * incomplete line.
 */
export function textOf(lines: readonly unknown[]): string {
  return lines.map((line) => `\n${JSON.stringify(line)}\n`).join('');
}

/** Parses the lines of a text; invalid and incomplete lines are left out. */
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
