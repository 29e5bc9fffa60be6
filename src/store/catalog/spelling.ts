import type { ArticleFormat } from '../../article/format/format.js';
import { termKey } from '../../article/names.js';
import type { Catalog } from './catalog.js';
import { type ArticleCodec, LONGEST_SPELLING, ownTags, spellingTags } from './entry.js';

/**
 * The site's own spelling of tags and authors. Where a generator makes one page of `soil` and `Soil`, or fails because it
 * cannot, the spelling that the site had first is used for all articles. So it is with authors, who have pages on many
 * sites, too.
 *
 * @param ownOf finds the tags of an article, see `ownTags`. @default in this thread
 */
export function createSpelling(
  { tagKey, hasAuthors }: Pick<ArticleFormat, 'tagKey' | 'hasAuthors'>,
  catalog: Catalog,
  ownOf: ArticleCodec['ownTags'] = async (tags) => ownTags(tags, tagKey ?? String),
) {
  /** The spelling of each name by its key, filled from the catalog for the first article. */
  let known: { readonly tags: Map<string, string>; readonly authors: Map<string, string> } | undefined;

  function spellings() {
    if (known !== undefined) return known;
    known = { tags: new Map(), authors: new Map() };
    for (const { tags = [], author = '' } of catalog.entries()) {
      addTags(known.tags, tags);
      spelledIn(known.authors, termKey(author), author);
    }
    return known;
  }

  function addTags(first: Map<string, string>, tags: Iterable<string>): void {
    if (tagKey !== undefined) for (const tag of tags) spelledIn(first, tagKey(tag), tag);
  }

  /** Tags as the site's articles spell them, each once; without those of which the generator cannot make a page. */
  async function spelledTags(tags: readonly string[]): Promise<readonly string[]> {
    if (tagKey === undefined || tags.length === 0) return tags;
    const own = await ownOf(tags);
    const first = spellings().tags;
    const written = own.tags.map((tag, at) => first.get(own.keys[at] ?? '') ?? tag);
    addTags(first, spellingTags(written));
    return written;
  }

  /** The author as the site's articles spell the name. */
  function spelledAuthor(name: string): string {
    if (!hasAuthors || name.length > LONGEST_SPELLING) return name;
    return spelledIn(spellings().authors, termKey(name), name);
  }

  return { tags: spelledTags, author: spelledAuthor };
}

/** The spelling that a name had first. */
function spelledIn(first: Map<string, string>, key: string, name: string): string {
  const spelled = first.get(key);
  if (spelled === undefined) first.set(key, name);
  return spelled ?? name;
}
