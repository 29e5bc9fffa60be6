import type { ArticleFormat } from '../../article/format/format.js';
import { shortened, signsOf, termKey } from '../../article/names.js';
import type { Log } from '../../log.js';
import type { Catalog } from './catalog.js';
import { type ArticleCodec, ownTags } from './content-folder.js';
import { LONGEST_SPELLING, spellingTags } from './entry.js';

/** How many left-out tags are logged, as a service could send any number. */
const MOST_NAMED = 1_000;

/** More than the number of files that are written at once. */
const MOST_AT_ONCE = 100;

/**
 * Spells tags and authors as the site does. If a generator would make one page for `soil` and `Soil`, or fail because of them,
 * all articles get the site's first spelling. If it cannot make separate pages for two different tags, such as `C` and `C#`,
 * the later one is left out. Authors are spelled in the same way, as they have pages on many sites.
 *
 * @param ownOf returns the tags of an article with their keys and signs; see `ownTags`. @default runs in this thread
 */
export function createSpelling(
  { tagKey, hasAuthors }: Pick<ArticleFormat, 'tagKey' | 'hasAuthors'>,
  catalog: Catalog,
  log: Pick<Log, 'warn'>,
  ownOf: ArticleCodec['ownTags'] = async (tags) => ownTags(tags, tagKey ?? String),
) {
  /** The spellings in the files that were read so far, by key. */
  const known = { tags: new Map<string, string[]>(), authors: new Map<string, string>() };
  /** The files to read: at first all, later the changed ones. */
  const changed = tagKey === undefined && !hasAuthors ? new Set<string>() : catalog.follow();
  /** The tags of the latest files, which the catalog may not have yet, by path. */
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
   * Returns tags in the site's spelling, each once, without those for which the generator cannot make a page.
   *
   * @param path the path of the file with these tags.
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

  /** Returns the tags of other files that take the pages of these tags, by key. */
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
    // In one pass, as both an article's tags and the site's articles may be many.
    for (const tag of tagsOfOthers(path)) {
      const key = sought.get(tag);
      if (key === undefined) continue;
      if (!found.has(key)) found.set(key, tag);
      sought.delete(tag);
      if (sought.size === 0) return found;
    }
    // Some of these tags may no longer be in any file: read all files again.
    known.tags.clear();
    for (const { path: at } of catalog.entries()) changed.add(at);
    spellings();
    for (const [at, tags] of recent) if (at !== path) addTags(tags);
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

  /** Returns an author's name in the site's spelling. */
  function spelledAuthor(name: string): string {
    if (!hasAuthors || name.length > LONGEST_SPELLING) return name;
    return spelledIn(spellings().authors, termKey(name), name);
  }

  return { tags: spelledTags, author: spelledAuthor };
}

/** Returns the known spelling of a tag with these signs, see `signsOf`; undefined if only different tags have its key. */
function spellingOf(known: readonly string[] = [], signs = ''): string | undefined {
  return known.find((one) => signsOf(one) === signs);
}

/** Returns the first spelling of a name. */
function spelledIn(first: Map<string, string>, key: string, name: string): string {
  const spelled = first.get(key);
  if (spelled === undefined) first.set(key, name);
  return spelled ?? name;
}
