import fs from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory, syncDirectory, syncFile } from '../../fs/atomic-write.js';
import type { Person } from './identity.js';

/** Who has made which revision: the people who change articles in the admin. See `openEditors`. */
export interface Editors {
  /** Notes who is about to make a revision; durable when it resolves. */
  note(revision: string, person: Person): Promise<void>;
  /** Who has made a revision; undefined where no person has. */
  of(revision: string): Person | undefined;
}

/** The file with so many bytes is put aside, and the one that was put aside before goes. */
const MOST_BYTES = 500_000;

/**
 * The author of a commit is noted before the article's file is written, so that a commit that is made after a crash, or by
 * another receiver of the folder, has the same author. A line is `{ "revision", "name", "email" }`. All of them only append. The last
 * thousands are kept: what is older is in a commit, which has its author.
 *
 * @param path the file, absolute.
 * @param mostBytes see `MOST_BYTES`.
 */
export function openEditors(path: string, mostBytes = MOST_BYTES): Editors {
  const people = new Map<string, Person>();
  const older = `${path}.1`;
  /** What has been taken in of which file. */
  let read = { file: 0, bytes: 0 };

  async function note(revision: string, { name, email }: Person): Promise<void> {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) makeDirectory(dirname(path));
    else if (size >= mostBytes) fs.renameSync(path, older);
    // What a power loss has left may end within a line.
    fs.appendFileSync(path, `\n${JSON.stringify({ revision, name, email })}\n`, { mode: 0o600 });
    await syncFile(path);
    await syncDirectory(dirname(path));
  }

  function of(revision: string): Person | undefined {
    if (!people.has(revision)) takeIn();
    return people.get(revision);
  }

  function takeIn(): void {
    const { ino: file, size } = fs.statSync(path, { throwIfNoEntry: false }) ?? { ino: 0, size: 0 };
    if (file === read.file && size === read.bytes) return;
    if (file !== read.file || size < read.bytes) {
      people.clear();
      if (fs.existsSync(older)) add(fs.readFileSync(older, 'utf8'));
      read = { file, bytes: 0 };
    }
    const bytes = newBytes(path, read.bytes, size);
    // Another receiver may be in the middle of a line.
    const end = bytes.lastIndexOf('\n') + 1;
    add(bytes.toString('utf8', 0, end));
    read = { file, bytes: read.bytes + end };
  }

  function add(text: string): void {
    for (const line of text.split('\n')) {
      const found = parse(line);
      if (found !== undefined) people.set(found.revision, found.person);
    }
  }

  return { note, of };
}

/** What stands in a file from one byte on to another. */
function newBytes(path: string, from: number, to: number): Buffer {
  if (to === from) return Buffer.alloc(0);
  const bytes = Buffer.alloc(to - from);
  const file = fs.openSync(path, 'r');
  try {
    return bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, from));
  } finally {
    fs.closeSync(file);
  }
}

/** Undefined for an empty line, and for one that was cut off. */
function parse(line: string): { readonly revision: string; readonly person: Person } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return undefined;
    const { revision, name, email } = value as Record<string, unknown>;
    if (typeof revision !== 'string' || typeof name !== 'string' || typeof email !== 'string')
      return undefined;
    return { revision, person: { name, email } };
  } catch {
    return undefined;
  }
}

/** Under what it is noted who has removed a file; its path is relative to the site's folder. */
export function removedKey(path: string): string {
  return `removed ${path}`;
}

/** Under what it is noted who has restored a file. */
export function restoredKey(path: string): string {
  return `restored ${path}`;
}
