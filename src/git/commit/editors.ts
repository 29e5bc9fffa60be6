import { openLineLog } from '../../fs/line-log.js';
import type { Person } from '../identity.js';

/** Who has made which revision: the people who change articles in the admin. See `openEditors`. */
export type Editors = ReturnType<typeof openEditors>;

interface Note extends Person {
  readonly revision: string;
}

/**
 * The author of a commit is noted before the article's file is written, so that a commit that is made after a crash, or by
 * another receiver of the folder, has the same author.
 *
 * @param path the file, absolute.
 */
export function openEditors(path: string) {
  const people = new Map<string, Person>();
  const log = openLineLog(path, isNote);

  /** Notes who is about to make a revision; durable when it resolves. */
  async function note(revision: string, { name, email }: Person): Promise<void> {
    log.append([{ revision, name, email }]);
    await log.sync();
    people.set(revision, { name, email });
  }

  /** Who has made a revision; undefined if no person has. */
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

/** Under what it is noted who has removed a file; its path is relative to the site's folder. */
export function removedKey(path: string): string {
  return `removed ${path}`;
}

/** Under what it is noted who has restored a file. */
export function restoredKey(path: string): string {
  return `restored ${path}`;
}
