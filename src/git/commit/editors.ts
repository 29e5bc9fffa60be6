import { openLineLog } from '../../fs/line-log.js';
import type { Person } from '../identity.js';

/** The people who made revisions in the admin; see `openEditors`. */
export type Editors = ReturnType<typeof openEditors>;

interface Note extends Person {
  readonly revision: string;
}

/**
 * Opens the log of the people who make revisions. An entry is written before the article's file, so that a commit after a
 * crash, or by another receiver of the folder, has the same author.
 *
 * @param path the log file, absolute.
 */
export function openEditors(path: string) {
  const people = new Map<string, Person>();
  const log = openLineLog(path, isNote);

  /** Records the author of a revision that is about to be made; durable when it resolves. */
  async function note(revision: string, { name, email }: Person): Promise<void> {
    log.append([{ revision, name, email }]);
    await log.sync();
    people.set(revision, { name, email });
  }

  /** Returns the person who made a revision; undefined if no person did. */
  function of(revision: string): Person | undefined {
    for (const { revision: of, name, email } of log.news()) people.set(of, { name, email });
    return people.get(revision);
  }

  return { note, of };
}

function isNote(value: unknown): value is Note {
  const { revision, name, email } = Object(value);
  return [revision, name, email].every((one) => typeof one === 'string');
}

/** The key for the person who removed a file; its path is relative to the site's folder. */
export function removedKey(path: string): string {
  return `removed ${path}`;
}

/** The key for the person who restored a file. */
export function restoredKey(path: string): string {
  return `restored ${path}`;
}
