import { hash } from 'node:crypto';
import type { SiteLink } from '../../host/pages/page-types.js';
import { entryState } from '../../store/catalog/entry.js';
import type { ArticleEntry, Post } from './article-entry.js';
import { navigationOf, type OwnerText } from './owner-texts.js';
import { type Taxonomy, type Term, type TermSlug, taxonomyOf } from './taxonomy.js';

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
  /** The terms of an article's tags, in their order. */
  tagsOf(post: Post): readonly Term[];
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
  // Made when they are asked for: the page of a changed article needs those of a few, and does not wait for all others.
  const tagsOf = memo(({ tags: names }) => names.flatMap((name) => tags.get(name) ?? []));
  const keyOf = memo((post) => {
    const { file, fingerprint, author } = post;
    const terms = [authors.get(author), ...tagsOf(post)];
    const addresses = terms.map((term) => term?.address ?? '').join(' ');
    // Short, as it is part of the keys of many files.
    return hash(
      'sha1',
      `${file} ${fingerprint.ino} ${fingerprint.size} ${fingerprint.mtimeMs} ${addresses}`,
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

/** A function of an article that remembers its results. */
function memo<Result>(resultOf: (post: Post) => Result): (post: Post) => Result {
  const known = new Map<Post, Result>();
  return (post) => {
    const result = known.get(post) ?? resultOf(post);
    known.set(post, result);
    return result;
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
