import type { Catalog } from './catalog.js';
import { type ContentFolder, readEntry } from './content-folder.js';
import type { Entry } from './entry.js';

/** Keeps the URLs of a catalog up to date; see `createAddressRefresh`. */
export type AddressRefresh = ReturnType<typeof createAddressRefresh>;

/**
 * Keeps a catalog's URLs up to date: after the generator has listed addresses, files are read again if their URLs depend on the
 * list. Must be created before the catalog's first entry is read.
 */
export function createAddressRefresh(content: ContentFolder, catalog: Catalog) {
  const { format } = content;
  let current = format.key;
  let refreshing: Promise<void> | undefined;

  /** Reads these files again if new addresses were listed. Calls during a refresh wait for its end. */
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

/** Reads a file again and replaces its entry, unless the entry was replaced in the meantime. A missing file is ignored here. */
export async function readAnew(content: ContentFolder, catalog: Catalog, known: Entry): Promise<void> {
  if (catalog.get(known.path) !== known) return;
  const read = await readEntry(content, known.path, known);
  if (read !== undefined && catalog.get(known.path) === known) catalog.set(read);
}
