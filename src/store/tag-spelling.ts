import type { ArticleFormat } from '../article/format.js';
import type { Catalog } from './catalog.js';

/** The site's own spelling of tags; see `createTagSpelling`. */
export interface TagSpelling {
  /**
   * Tags as the site's articles spell them, each once; without those of which the generator cannot make a page.
   *
   * @param keyOf the format's `tagKey`, or one that has made the keys of these tags before.
   */
  spelled(tags: readonly string[], keyOf?: (tag: string) => string): readonly string[];
}

/**
 * Where a generator makes one page of `soil` and `Soil`, or fails because it cannot, the spelling that the site had
 * first is used for all articles.
 */
export function createTagSpelling({ tagKey }: Pick<ArticleFormat, 'tagKey'>, catalog: Catalog): TagSpelling {
  if (tagKey === undefined) return { spelled: (tags) => tags };
  const makeKey = tagKey;
  /** The spelling of each tag by its key, filled from the catalog for the first article. */
  let spellings: Map<string, string> | undefined;

  function add(known: Map<string, string>, tag: string, keyOf: (tag: string) => string): string {
    const key = keyOf(tag);
    const spelling = known.get(key);
    if (spelling !== undefined) return spelling;
    known.set(key, tag);
    return tag;
  }

  function spelled(tags: readonly string[], keyOf = makeKey): readonly string[] {
    if (spellings === undefined) {
      spellings = new Map();
      for (const entry of catalog.entries()) for (const tag of entry.tags) add(spellings, tag, keyOf);
    }
    const known = spellings;
    return [...new Set(tags.filter((tag) => keyOf(tag) !== '').map((tag) => add(known, tag, keyOf)))];
  }

  return { spelled };
}
