import type { Catalog } from './catalog.js';
import { type ContentFolder, readEntry } from './content-folder.js';
import type { Entry } from './entry.js';

/** What keeps the URLs of a catalog up to date; see `createAddressRefresh`. */
export type AddressRefresh = ReturnType<typeof createAddressRefresh>;

/**
 * Keeps a catalog's URLs up to date: reads the files again whose URLs depend on more than the file, after the generator has
 * listed addresses. Made before the first entry of the catalog is read.
 */
export function createAddressRefresh(content: ContentFolder, catalog: Catalog) {
  const { format } = content;
  let current = format.key;
  let refreshing: Promise<void> | undefined;

  /** Does nothing if no addresses were listed since. Who calls this meanwhile waits for the end of it. */
  async function refresh(): Promise<void> {
    if (refreshing === undefined && format.key === current) return;
    refreshing ??= readAll().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }

  async function readAll(): Promise<void> {
    const wanted = format.key;
    const open = [...catalog.entries()].filter(({ address }) => address !== undefined);
    for (const entry of open) await readAnew(content, catalog, entry);
    current = wanted;
  }

  return {
    refresh,
    /** The key of the format under which the catalog's entries were read, for their snapshot. */
    get key() {
      return current;
    },
  };
}

/** Replaces an entry by what its file says now, unless it was replaced meanwhile. That a file is gone is noticed elsewhere. */
export async function readAnew(content: ContentFolder, catalog: Catalog, known: Entry): Promise<void> {
  if (catalog.get(known.path) !== known) return;
  const read = await readEntry(content, known.path, known);
  if (read !== undefined && catalog.get(known.path) === known) catalog.set(read);
}
