import fs from 'node:fs';
import type { Settings } from '../../config/load.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { type Entry, entryState, isUnread } from '../../store/catalog/entry.js';
import { scan } from '../../store/catalog/scan.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';

/** An article that is skipped because of its file. */
export interface MalformedArticle {
  /** Relative to the site's folder. */
  readonly file: string;
  readonly reason: string;
  /** Whether the system refuses to read the file; else its front matter is wrong. */
  readonly isUnread: boolean;
}

/** An article that has no page before its date. */
export interface ScheduledArticle {
  /** Relative to the site's folder. */
  readonly file: string;
  readonly id: string;
  readonly url: string;
  /** When it is live, ISO 8601. */
  readonly liveAt: string;
}

/** Reads the content folder of a site. */
export async function articleEntries(settings: Settings): Promise<Entry[]> {
  const content = contentOf(settings);
  if (!fs.existsSync(content.root)) return [];
  const catalog = createCatalog();
  await scan(content, catalog);
  return [...catalog.entries()];
}

/** The articles that are scheduled, the next one first. */
export function scheduledIn(settings: Settings, entries: Iterable<Entry>): ScheduledArticle[] {
  const prefix = contentPrefix(settings);
  const now = Date.now();
  return [...entries]
    .flatMap((entry) => {
      const { path, id, url, from, broken } = entry;
      if (broken !== undefined || from === undefined || entryState(entry, now) !== 'scheduled') return [];
      return [{ file: `${prefix}${path}`, id, url, liveAt: new Date(from).toISOString() }];
    })
    .toSorted((a, b) => (a.liveAt < b.liveAt ? -1 : 1));
}

/** The articles whose files are malformed or cannot be read. */
export function malformedIn(settings: Settings, entries: Iterable<Entry>): MalformedArticle[] {
  const prefix = contentPrefix(settings);
  return [...entries].flatMap((entry) => {
    const { path, broken, isUnsupported = false } = entry;
    if (broken === undefined || isUnsupported) return [];
    return [{ file: `${prefix}${path}`, reason: broken, isUnread: isUnread(entry) }];
  });
}
