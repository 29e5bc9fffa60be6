import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { canonicalUrl } from '../contract/canonical-url.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../fs/atomic-write.js';
import { type Fingerprint, fingerprintOf } from '../fs/fingerprint.js';
import { sameFingerprint } from './catalog/entry.js';

/** The folder below the state folder that has the articles in the trash, each in two files: what is known of it, and its text. */
const TRASH = 'trash';

/** A folder that has changed in the last so many milliseconds may change once more without showing it. */
const SETTLED_MS = 1_000;

/** What is known of an article that a person has removed. */
export interface Trashed {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** Below the content folder. */
  readonly path: string;
  /** When it was removed, ISO 8601. */
  readonly at: string;
  /** Who has removed it. */
  readonly by: string;
  /** Where its URL leads now; null where the article is gone. */
  readonly redirect: string | null;
}

/** The articles in the trash; see `openTrash`. */
export type Trash = ReturnType<typeof openTrash>;

/**
 * The articles in the trash. What is known of them is in memory, as every request for a page that is not there asks for it;
 * whether another process has changed the folder is asked each time. The texts are read when an article is restored.
 */
export function openTrash(stateDir: string) {
  const folder = join(stateDir, TRASH);
  let read = new Map<string, { readonly fingerprint: Fingerprint; readonly one: Trashed }>();
  let version: string | undefined;
  let all: readonly Trashed[] = [];
  let byUrl = new Map<string, Trashed>();

  function takeIn(): void {
    const now = Date.now();
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    const found = stat === undefined ? 'none' : `${stat.ino} ${stat.mtimeMs}`;
    if (found === version) return;
    version = stat === undefined || now - stat.mtimeMs > SETTLED_MS ? found : undefined;
    const names = stat === undefined ? [] : fs.readdirSync(folder);
    const files: typeof read = new Map();
    for (const name of names.filter((one) => /^[0-9a-f]{32}\.json$/.test(one))) {
      const path = join(folder, name);
      const its = fs.statSync(path, { throwIfNoEntry: false });
      const known = read.get(name);
      if (its === undefined) continue; // dropped just now
      const fingerprint = fingerprintOf(its);
      const one =
        known !== undefined && sameFingerprint(known.fingerprint, fingerprint) ? known.one : parse(path);
      if (one !== undefined) files.set(name, { fingerprint, one });
    }
    read = files;
    all = [...files.values()].map(({ one }) => one).sort((a, b) => (a.at < b.at ? 1 : -1));
    // Where two had the same URL, the one that was removed last says what is there.
    byUrl = new Map(all.toReversed().map((one) => [canonicalUrl(one.url) ?? one.url, one]));
  }

  /** All of them, the one that was removed last first; what cannot be read is left out. */
  function list(): readonly Trashed[] {
    takeIn();
    return all;
  }

  /** The article that had a canonical URL. */
  function at(canonical: string): Trashed | undefined {
    takeIn();
    return byUrl.get(canonical);
  }

  /** The article with this id. */
  function get(id: string): Trashed | undefined {
    takeIn();
    return read.get(`${nameOf(id)}.json`)?.one;
  }

  /** The whole file that an article had. @throws the system's error where it cannot be read. */
  function textOf(id: string): string {
    return fs.readFileSync(join(folder, `${nameOf(id)}.text`), 'utf8');
  }

  /** Keeps an article; durable when it resolves. */
  async function keep(one: Trashed, text: string): Promise<void> {
    makeDirectory(folder);
    await writeAtomically(join(folder, `${nameOf(one.id)}.text`), text);
    await writeAtomically(join(folder, `${nameOf(one.id)}.json`), `${JSON.stringify(one)}\n`);
  }

  /** Forgets an article that is there again, or is deleted for good. */
  async function drop(id: string): Promise<void> {
    for (const ending of ['json', 'text'])
      fs.rmSync(join(folder, `${nameOf(id)}.${ending}`), { force: true });
    await syncDirectory(folder);
  }

  return { list, at, get, textOf, keep, drop };
}

function nameOf(id: string): string {
  return hash('sha256', id).slice(0, 32);
}

function parse(path: string): Trashed | undefined {
  try {
    const value = JSON.parse(fs.readFileSync(path, 'utf8')) as Trashed;
    return typeof value.id === 'string' && typeof value.url === 'string' ? value : undefined;
  } catch {
    return undefined; // dropped just now
  }
}
