import fs from 'node:fs';
import type { Settings } from '../../config/load.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { type Entry, isUnread } from '../../store/catalog/entry.js';
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

/** The articles whose files are malformed or cannot be read. */
export async function malformedArticles(settings: Settings): Promise<MalformedArticle[]> {
  const content = contentOf(settings);
  if (!fs.existsSync(content.root)) return [];
  const catalog = createCatalog();
  await scan(content, catalog);
  return malformedIn(settings, catalog.entries());
}

/** Those among the entries of a catalog. */
export function malformedIn(settings: Settings, entries: Iterable<Entry>): MalformedArticle[] {
  const prefix = contentPrefix(settings);
  return [...entries].flatMap((entry) => {
    const { path, broken, isUnsupported = false } = entry;
    if (broken === undefined || isUnsupported) return [];
    return [{ file: `${prefix}${path}`, reason: broken, isUnread: isUnread(entry) }];
  });
}
