import { createHash } from 'node:crypto';
import type { SiteLink } from '../../host/pages/page-types.js';
import { entryState } from '../../store/catalog/entry.js';
import type { ArticleEntry, Post } from './article-entry.js';
import { navigationOf, type OwnerText } from './owner-texts.js';
import { type Taxonomy, type TermSlug, taxonomyOf } from './taxonomy.js';

/** What the site consists of: which article has which page, and the lists they are on. It never changes. */
export interface SiteIndex {
  /** Every article that has a page, oldest first. */
  readonly posts: readonly Post[];
  readonly tags: Taxonomy;
  readonly authors: Taxonomy;
  /** What the owner wrote besides articles, by the paths of the files. */
  readonly texts: ReadonlyMap<string, OwnerText>;
  /** The links to pages of the owner's. */
  readonly navigation: readonly SiteLink[];
  /** Articles that have no page: their URL is not the site's, or another file has it. */
  readonly withoutPage: readonly ArticleEntry[];
  /** The article whose page stands in this file of the output. */
  at(file: string): Post | undefined;
  /** The article in a file below the content folder, where it has a page. */
  find(path: string): Post | undefined;
  /** Changes with all that a page shows of an article in a list. */
  keyOf(post: Post): string;
  /** Changes with all that a page shows of all articles in lists. */
  key(): string;
}

/**
 * The index of a site: the articles that are live, each at its file, in lists by time, tag and author.
 *
 * @param isReserved whether a file is one of the site's own, where no article has its page.
 * @param termSlug makes the segments of the addresses of tags and authors. @default in their own scripts
 */
export function siteIndex(
  entries: Iterable<ArticleEntry>,
  texts: ReadonlyMap<string, OwnerText>,
  isReserved: (file: string) => boolean,
  termSlug?: TermSlug,
): SiteIndex {
  const now = Date.now();
  const byFile = new Map<string, Post>();
  const withoutPage: ArticleEntry[] = [];
  for (const entry of entries) {
    if (entryState(entry, now) !== 'live') continue;
    const other = entry.file === null ? undefined : byFile.get(entry.file);
    // Two files at one URL, such as a copy that a person made: the first path has the page.
    if (!hasPage(entry) || isReserved(entry.file) || (other !== undefined && other.path < entry.path))
      withoutPage.push(entry);
    else {
      if (other !== undefined) withoutPage.push(other);
      byFile.set(entry.file, entry);
    }
  }
  const posts = [...byFile.values()].sort(byTime);
  const tags = taxonomyOf('tag', posts, termSlug);
  const authors = taxonomyOf('author', posts, termSlug);
  const byPath = new Map(posts.map((post) => [post.path, post]));
  const keys = new Map<Post, string>();
  let key: string | undefined;

  /** Made when it is asked for: the page of a changed article needs those of a few, and does not wait for all others. */
  function keyOf(post: Post): string {
    const known = keys.get(post);
    if (known !== undefined) return known;
    const { file, fingerprint, author } = post;
    const terms = [authors.get(author), ...post.tags.map((name) => tags.get(name))];
    const addresses = terms.map((term) => term?.address ?? '').join(' ');
    const made = `${file} ${fingerprint.ino} ${fingerprint.size} ${fingerprint.mtimeMs} ${addresses}\n`;
    keys.set(post, made);
    return made;
  }

  function keyOfAll(): string {
    const sum = createHash('sha1');
    for (const post of posts) sum.update(keyOf(post));
    return sum.digest('base64');
  }

  return {
    posts,
    tags,
    authors,
    texts: new Map(texts),
    navigation: navigationOf(texts.values()),
    withoutPage,
    at: (file) => byFile.get(file),
    find: (path) => byPath.get(path),
    keyOf,
    key: () => (key ??= keyOfAll()),
  };
}

/** The order of all lists, oldest first: publication, and between articles of the same moment the file's path. */
export function byTime(a: Post, b: Post): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function hasPage(entry: ArticleEntry): entry is Post {
  return entry.file !== null;
}
