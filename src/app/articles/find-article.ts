import fs from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError, quote } from '../../errors.js';
import { type Catalog, createCatalog } from '../../store/catalog/catalog.js';
import { catalogId, type Entry } from '../../store/catalog/entry.js';
import { scan } from '../../store/catalog/scan.js';
import { loadSnapshot, snapshotOf } from '../../store/catalog/snapshot.js';
import { contentOf } from '../content/content.js';
import { foldersOf } from '../content/folders.js';

/**
 * Finds an article by its id, URL, file or slug, in this order.
 *
 * @param name the id, URL, file or slug. A file's path may be absolute, or relative to the current folder, the site's folder or
 *   the content folder.
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS.
 */
export async function findArticle(settings: Settings, name: string): Promise<Entry> {
  const content = contentOf(settings);
  const catalog = await readCatalog(settings);
  const entries = [...catalog.entries()].filter(({ broken }) => broken === undefined);
  const url = canonicalUrl(name);
  const files = new Set(
    [process.cwd(), settings.dir, content.root].map((folder) =>
      relative(content.root, resolve(folder, name)).split(sep).join('/'),
    ),
  );
  const ways: readonly ((entry: Entry) => boolean)[] = [
    ({ id }) => id === catalogId(name),
    (entry) => url !== undefined && canonicalUrl(entry.url) === url,
    ({ path }) => files.has(path),
    (entry) => content.format.slugOf(entry.path) === name || slugIn(entry.url) === name,
  ];
  for (const way of ways) {
    const [entry, ...others] = entries.filter(way);
    if (entry === undefined) continue;
    if (others.length === 0) return entry;
    const ids = [entry, ...others].slice(0, 5).map(({ id, path }) => `${quote(id)} (${path})`);
    throw new PressmarkError(
      'ARTICLE_AMBIGUOUS',
      `${quote(name)} names ${others.length + 1} articles, with the ids ${ids.join(', ')}; name one by its id or its file`,
    );
  }
  throw new PressmarkError(
    'ARTICLE_NOT_FOUND',
    `there is no article ${quote(name, 200)}; name one by its id, its URL, its file or its slug`,
  );
}

/** Reads the catalog of a site's articles: the one that a receiver has saved, and the files that have changed since. */
export async function readCatalog(settings: Settings): Promise<Catalog> {
  const content = contentOf(settings);
  const catalog = createCatalog();
  if (!fs.existsSync(content.root)) return catalog;
  const { path, key } = snapshotOf(foldersOf(settings).stateDir, content);
  await loadSnapshot(path, key, catalog);
  await scan(content, catalog);
  return catalog;
}

function slugIn(url: string): string | undefined {
  return url.split(/[?#]/, 1)[0]?.replace(/\/$/, '').split('/').at(-1);
}
