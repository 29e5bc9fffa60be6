import { hash } from 'node:crypto';
import type { SiteLink } from '../../host/pages/page-types.js';
import { comparePaths } from '../../store/catalog/catalog.js';
import { entryState } from '../../store/catalog/entry.js';
import type { ArticleEntry, Post } from './article-entry.js';
import { navigationOf, type OwnerText } from './owner-texts.js';
import { type Taxonomy, type Term, type TermSlug, taxonomyOf } from './taxonomy.js';

/** The index of the site: articles, their pages and the lists that they are on. It is immutable. */
export interface SiteIndex {
  /** The articles with a page, oldest first. */
  readonly posts: readonly Post[];
  readonly tags: Taxonomy;
  readonly authors: Taxonomy;
  /** The owner's texts, by the path of the file. */
  readonly texts: ReadonlyMap<string, OwnerText>;
  /** The links to the owner's pages. */
  readonly navigation: readonly SiteLink[];
  /** Articles without a page: the site does not serve their URL, or another file has it. */
  readonly withoutPage: readonly ArticleEntry[];
  /** Returns the article whose page is this file of the output. */
  at(file: string): Post | undefined;
  /** Returns the article in a file below the content folder, if it has a page. */
  find(path: string): Post | undefined;
  /** Returns the terms of an article's tags, in their order. */
  tagsOf(post: Post): readonly Term[];
  /**
   * Returns a key of an article's file and of the addresses shown with it. Every change of the file changes it, also a new name,
   * from which an article may have its id and title.
   */
  keyOf(post: Post): string;
  /** Returns a key of all articles; see `keyOf`. */
  key(): string;
}

/**
 * Makes the index of a site: the live articles, by file, and in lists by time, tag and author.
 *
 * @param isReserved whether a file is reserved for the site's own pages.
 * @param termSlug makes the last segment of a tag's or author's address. @default in its own script
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
    // If two files have the same URL, the page shows the article, not a person's copy of it.
    if (!hasPage(entry) || isReserved(entry.file) || (other !== undefined && comparePaths(other, entry) < 0))
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
  // Made on demand, as the page of a changed article needs only a few.
  const tagsOf = memo(({ tags: names }) => names.flatMap((name) => tags.get(name) ?? []));
  const keyOf = memo((post) => {
    const { path, file, fingerprint, author } = post;
    const terms = [authors.get(author), ...tagsOf(post)];
    const addresses = terms.map((term) => term?.address ?? '').join(' ');
    // Short, as it is a part of many files' keys.
    return hash(
      'sha1',
      `${path} ${file} ${fingerprint.ino} ${fingerprint.size} ${fingerprint.mtimeMs} ${addresses}`,
      'base64',
    );
  });
  let key: string | undefined;

  return {
    posts,
    tags,
    authors,
    texts: new Map(texts),
    navigation: navigationOf(texts.values()),
    withoutPage,
    at: (file) => byFile.get(file),
    find: (path) => byPath.get(path),
    tagsOf,
    keyOf,
    key: () => (key ??= hash('sha1', posts.map(keyOf).join(''), 'base64')),
  };
}

/** Returns a function that remembers its result for each article. */
function memo<Result>(resultOf: (post: Post) => Result): (post: Post) => Result {
  const known = new Map<Post, Result>();
  return (post) => {
    const result = known.get(post) ?? resultOf(post);
    known.set(post, result);
    return result;
  };
}

/** Compares articles for all lists, oldest first: by publication, then by the path of the file. */
export function byTime(a: Post, b: Post): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

function hasPage(entry: ArticleEntry): entry is Post {
  return entry.file !== null;
}
