import type { ArticleFormat } from '../article/format.js';
import type { Catalog } from './catalog.js';
import type { Entry } from './entry.js';

/**
 * Reads the files again whose URLs depend on more than the file, after a build of the site has proven addresses.
 *
 * @param read makes the entry anew; undefined where the file is gone, which is noticed elsewhere.
 */
export function createAddressRefresh(
  format: Pick<ArticleFormat, 'key'>,
  catalog: Catalog,
  read: (known: Entry) => Promise<Entry | undefined>,
) {
  let key = format.key;

  /** Does nothing where no build has proven anything since. */
  async function refresh(): Promise<void> {
    if (format.key === key) return;
    key = format.key;
    for (const known of [...catalog.entries()]) {
      if (known.address === undefined) continue;
      const entry = await read(known);
      if (entry !== undefined) catalog.set(entry);
    }
  }

  return { refresh };
}
