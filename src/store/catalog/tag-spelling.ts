import type { ArticleFormat } from '../../article/format/format.js';
import type { Catalog } from './catalog.js';
import { spellingTags } from './entry.js';

/** The site's own spelling of tags; see `createTagSpelling`. */
export interface TagSpelling {
  /** Tags as the site's articles spell them, each once; without those of which the generator cannot make a page. */
  spelled(tags: readonly string[]): readonly string[];
}

/**
 * Where a generator makes one page of `soil` and `Soil`, or fails because it cannot, the spelling that the site had
 * first is used for all articles.
 */
export function createTagSpelling({ tagKey }: Pick<ArticleFormat, 'tagKey'>, catalog: Catalog): TagSpelling {
  if (tagKey === undefined) return { spelled: (tags) => tags };
  const keyOf = tagKey;
  /** The spelling of each tag by its key, filled from the catalog for the first article. */
  let spellings: Map<string, string> | undefined;

  function add(known: Map<string, string>, tags: Iterable<string>): void {
    for (const tag of tags) {
      const key = keyOf(tag);
      if (!known.has(key)) known.set(key, tag);
    }
  }

  function spelled(tags: readonly string[]): readonly string[] {
    if (spellings === undefined) {
      spellings = new Map();
      for (const entry of catalog.entries()) add(spellings, entry.tags ?? []);
    }
    const own = new Map<string, string>();
    for (const tag of tags) {
      const key = keyOf(tag);
      if (key !== '' && !own.has(key)) own.set(key, spellings.get(key) ?? tag);
    }
    const written = [...own.values()];
    add(spellings, spellingTags(written));
    return written;
  }

  return { spelled };
}
