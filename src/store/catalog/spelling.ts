import type { ArticleFormat } from '../../article/format/format.js';
import { shortened, signsOf, termKey } from '../../article/names.js';
import type { Log } from '../../log.js';
import type { Catalog } from './catalog.js';
import { type ArticleCodec, ownTags } from './content-folder.js';
import { LONGEST_SPELLING, spellingTags } from './entry.js';

/** So many tags are named in the log as left out; a service could send any number. */
const MOST_NAMED = 1_000;

/** More files than are written at once. */
const MOST_AT_ONCE = 100;

/**
 * The site's own spelling of tags and authors. Where a generator makes one page of `soil` and `Soil`, or fails because it
 * cannot, the spelling that the site had first is used for all articles. Of two tags that are not one, such as `C` and `C#`,
 * the later one is left out where the generator cannot make a page of each. Authors have pages on many sites, too.
 *
 * @param ownOf finds the tags of an article, see `ownTags`. @default in this thread
 */
export function createSpelling(
  { tagKey, hasAuthors }: Pick<ArticleFormat, 'tagKey' | 'hasAuthors'>,
  catalog: Catalog,
  log: Pick<Log, 'warn'>,
  ownOf: ArticleCodec['ownTags'] = async (tags) => ownTags(tags, tagKey ?? String),
) {
  /** The spellings of each name by its key, as far as the files were looked at. */
  const known = { tags: new Map<string, string[]>(), authors: new Map<string, string>() };
  /** The files that are to be looked at, also those that people have changed since. */
  const changed = tagKey === undefined && !hasAuthors ? new Set<string>() : catalog.follow();
  /** The tags of the last files, which the catalog may not have yet, by path. */
  const recent = new Map<string, readonly string[]>();
  const leftOut = new Set<string>();

  function spellings() {
    for (const path of changed) {
      const { tags = [], author = '' } = catalog.get(path) ?? {};
      addTags(tags);
      spelledIn(known.authors, termKey(author), author);
    }
    changed.clear();
    return known;
  }

  function addTags(tags: readonly string[]): void {
    if (tagKey === undefined) return;
    for (const tag of tags) {
      const ofKey = known.tags.get(tagKey(tag));
      if (ofKey === undefined) known.tags.set(tagKey(tag), [tag]);
      else if (spellingOf(ofKey, signsOf(tag)) === undefined) ofKey.push(tag);
    }
  }

  /**
   * Tags as the site's articles spell them, each once; without those of which the generator cannot make a page.
   *
   * @param path of the file that gets them.
   */
  async function spelledTags(tags: readonly string[], path: string): Promise<readonly string[]> {
    if (tagKey === undefined || tags.length === 0) return tags;
    const own = await ownOf(tags);
    const others = tagsInTheWay(own, path);
    const taken = new Map<string, string>();
    const written = own.tags.flatMap((tag, at): string[] => {
      const key = own.keys[at] ?? '';
      const spelled = spellingOf(spellings().tags.get(key), own.signs[at]);
      const other = spelled === undefined ? (taken.get(key) ?? others.get(key)) : undefined;
      if (other !== undefined) {
        sayLeftOut(tag, other);
        return [];
      }
      const name = spelled ?? tag;
      taken.set(key, name);
      return [name];
    });
    const ofFile = spellingTags(written);
    addTags(ofFile);
    recent.delete(path);
    recent.set(path, ofFile);
    if (recent.size > MOST_AT_ONCE) recent.delete([...recent.keys()][0] ?? '');
    return written;
  }

  /** The tags of other files that have the pages of these tags, by the keys. */
  function tagsInTheWay(
    { keys, signs }: Pick<ReturnType<typeof ownTags>, 'keys' | 'signs'>,
    path: string,
  ): ReadonlyMap<string, string> {
    const sought = new Map<string, string>();
    for (const [at, key] of keys.entries()) {
      const ofKey = spellings().tags.get(key) ?? [];
      if (spellingOf(ofKey, signs[at]) === undefined) for (const tag of ofKey) sought.set(tag, key);
    }
    const found = new Map<string, string>();
    if (sought.size === 0) return found;
    // In one go: an article may have any number of such tags, and a site as many articles.
    for (const tag of tagsOfOthers(path)) {
      const key = sought.get(tag);
      if (key === undefined) continue;
      if (!found.has(key)) found.set(key, tag);
      sought.delete(tag);
      if (sought.size === 0) return found;
    }
    // Some are left over from texts that were replaced.
    known.tags.clear();
    for (const { path: at } of catalog.entries()) changed.add(at);
    return found;
  }

  function* tagsOfOthers(path: string): Iterable<string> {
    for (const [at, tags] of recent) if (at !== path) yield* tags;
    for (const { path: at, tags = [] } of catalog.entries()) if (at !== path) yield* tags;
  }

  function sayLeftOut(tag: string, other: string): void {
    const named = { tag: shortened(tag, LONGEST_SPELLING), other: shortened(other, LONGEST_SPELLING) };
    const pair = JSON.stringify(named);
    if (leftOut.has(pair) || leftOut.size === MOST_NAMED) return;
    leftOut.add(pair);
    log.warn(
      named,
      'a tag is left out of articles, as the generator makes one page of it and of another tag; rename one of the two in the service or in your posts, such as cpp for C++',
    );
  }

  /** The author as the site's articles spell the name. */
  function spelledAuthor(name: string): string {
    if (!hasAuthors || name.length > LONGEST_SPELLING) return name;
    return spelledIn(spellings().authors, termKey(name), name);
  }

  return { tags: spelledTags, author: spelledAuthor };
}

/** The known spelling of a tag with these signs; undefined if only other tags have its key. */
function spellingOf(known: readonly string[] = [], signs = ''): string | undefined {
  return known.find((one) => signsOf(one) === signs);
}

/** The spelling that a name had first. */
function spelledIn(first: Map<string, string>, key: string, name: string): string {
  const spelled = first.get(key);
  if (spelled === undefined) first.set(key, name);
  return spelled ?? name;
}
