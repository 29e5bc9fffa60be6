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

/**
 * The author of a commit is noted before the article's file is written, so that a commit that is made after a crash, or by
 * another receiver of the folder, has the same author. A line is `{ "revision", "name", "email" }`; all of them only append.
 *
 * @param path the file, absolute.
 */
export function openEditors(path: string): Editors {
  const people = new Map<string, Person>();
  let read = 0;

  async function note(revision: string, { name, email }: Person): Promise<void> {
    if (!fs.existsSync(path)) makeDirectory(dirname(path));
    // What a power loss has left may end within a line.
    fs.appendFileSync(path, `\n${JSON.stringify({ revision, name, email })}\n`, { mode: 0o600 });
    await syncFile(path);
    await syncDirectory(dirname(path));
    people.set(revision, { name, email });
  }

  function of(revision: string): Person | undefined {
    if (!people.has(revision)) takeIn();
    return people.get(revision);
  }

  function takeIn(): void {
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === read) return;
    read = size;
    for (const line of fs.readFileSync(path, 'utf8').split('\n')) {
      const found = parse(line);
      if (found !== undefined) people.set(found.revision, found.person);
    }
  }

  return { note, of };
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
