import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleFormat } from '../../article/format/format.js';
import type { Catalog } from './catalog.js';
import type { Entry } from './entry.js';

/** Files read before others get a turn: the addresses of thousands may be new. */
const FILES_PER_TURN = 200;

/**
 * Keeps a catalog's URLs up to date: reads the files again whose URLs depend on more than the file, after the generator has
 * listed addresses. Made before the first entry of the catalog is read.
 *
 * @param read makes entries anew, without those whose files are gone, which is noticed elsewhere.
 */
export function createAddressRefresh(
  format: Pick<ArticleFormat, 'key'>,
  catalog: Catalog,
  read: (known: readonly Entry[]) => Promise<readonly Entry[]>,
) {
  let current = format.key;
  let refreshing: Promise<void> | undefined;

  /** Does nothing if no addresses were listed since. Who calls this meanwhile waits for the end of it. */
  async function refresh(): Promise<void> {
    if (refreshing === undefined && format.key === current) return;
    refreshing ??= readAgain().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }

  async function readAgain(): Promise<void> {
    const wanted = format.key;
    const open = [...catalog.entries()].filter(({ address }) => address !== undefined);
    for (let at = 0; at < open.length; at += FILES_PER_TURN) {
      await readAnew(catalog, open.slice(at, at + FILES_PER_TURN), read);
      await nextTurn();
    }
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

/** What keeps the URLs of a catalog up to date; see `createAddressRefresh`. */
export type AddressRefresh = ReturnType<typeof createAddressRefresh>;

/** Replaces entries by what `read` makes of them now, but for those that have been replaced meanwhile. */
export async function readAnew(
  catalog: Catalog,
  known: readonly Entry[],
  read: (known: readonly Entry[]) => Promise<readonly Entry[]>,
): Promise<void> {
  if (known.length === 0) return;
  const before = new Map(known.map((entry) => [entry.path, catalog.get(entry.path)]));
  for (const entry of await read(known)) {
    const was = before.get(entry.path);
    if (was !== undefined && catalog.get(entry.path) === was) catalog.set(entry);
  }
}
