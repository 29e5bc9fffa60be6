import type { SiteInfo, SiteLink } from '../../host/page-types.js';
import { fileOf } from '../outputs/addresses.js';
import { timeOf } from '../render/dates.js';
import { createArticleList, type ListChange, type Post } from './article-list.js';
import type { IndexEntry } from './index-entry.js';
import { addressOfPage, navigationOf, type OwnerText } from './owner-texts.js';
import { affectedNeighbours } from './related.js';
import { createAuthors, createTags, type TaxonomyChange, type Term } from './taxonomy.js';

/** What the site consists of: which article has which page, and the lists they are on. */
export type SiteIndex = ReturnType<typeof createSiteIndex>;

/** What the index has of one file of the content folder. */
export type SourceEntry = IndexEntry | OwnerText;

/** What has become of the articles since outputs were last asked which of their files that affects. */
export interface SiteChange {
  /** Articles that were added, changed or removed, by the paths of their files; those that have a page. */
  readonly articles: ReadonlyMap<string, ArticleChange>;
  /** Pages of articles that may look different, or that no article has any more. */
  readonly pages: ReadonlySet<string>;
  readonly all: ListChange;
  readonly tags: TaxonomyChange;
  readonly authors: TaxonomyChange;
  /** The terms of both whose lists may look different. */
  readonly terms: ReadonlyMap<Term, ListChange>;
  /** The paths of the owner's texts that were added, changed or removed. */
  readonly texts: ReadonlySet<string>;
  /** Articles that have no page: their URL is not the site's, or another file has it. */
  readonly unroutable: readonly IndexEntry[];
}

/** What one file was on the site, and what it is now. */
export interface ArticleChange {
  readonly before: Post | undefined;
  readonly after: Post | undefined;
}

/**
 * A site without articles.
 *
 * @param isReserved whether a file is one of the site's own, where no article has its page.
 */
export function createSiteIndex(site: SiteInfo, isReserved: (file: string) => boolean) {
  const posts = new Map<string, Post>();
  /** Articles whose URL is none of this site's pages. */
  const offSite = new Map<string, IndexEntry>();
  const claims = new Map<string, Post | Post[]>();
  const all = createArticleList();
  const tags = createTags();
  const authors = createAuthors();
  let files = new Set<string>();
  let articles = new Map<string, ArticleChange>();
  let unroutable = new Map<string, IndexEntry>();
  const texts = new Map<string, OwnerText>();
  let changedTexts = new Set<string>();
  let navigation: readonly SiteLink[] | undefined;

  /** Takes in what an article file says now; undefined where it is gone. @param isShown whether all pages show it. */
  function apply(path: string, entry: IndexEntry | undefined, isShown = false): void {
    const before = posts.get(path);
    const after = entry && postOf(entry, site, isReserved);
    unroutable.delete(path);
    offSite.delete(path);
    if (before === undefined && after !== undefined && !claims.has(after.file)) {
      // as nearly every one is when a site is read
      addClaim(after);
      swap(after.file, undefined, after, isShown);
      return;
    }
    if (entry !== undefined && after === undefined) {
      unroutable.set(path, entry);
      offSite.set(path, entry);
    }
    const places = new Set([before?.file, after?.file].filter((file) => file !== undefined));
    const owners = new Map([...places].map((file) => [file, at(file)]));
    if (before !== undefined) removeClaim(before);
    if (after !== undefined) addClaim(after);
    for (const file of places) swap(file, owners.get(file), at(file), isShown);
    if (after !== undefined && at(after.file) !== after) unroutable.set(path, after.entry);
  }

  /** Takes in what a text of the owner's says now, in the same way. */
  function applyText(path: string, text: OwnerText | undefined, isShown = false): void {
    if (text === undefined) texts.delete(path);
    else texts.set(path, text);
    if (addressOfPage(path) !== undefined) navigation = undefined;
    if (!isShown) changedTexts.add(path);
  }

  function addClaim(post: Post): void {
    posts.set(post.entry.path, post);
    const others = claimants(post.file);
    // Two files at one URL, such as a copy that a person made: the first path has the page, whoever came first.
    const both = [...others, post].sort((a, b) => (a.entry.path < b.entry.path ? -1 : 1));
    claims.set(post.file, others.length === 0 ? post : both);
  }

  function removeClaim(post: Post): void {
    posts.delete(post.entry.path);
    const [first, ...rest] = claimants(post.file).filter((other) => other !== post);
    if (first === undefined) claims.delete(post.file);
    else claims.set(post.file, rest.length === 0 ? first : [first, ...rest]);
  }

  function claimants(file: string): readonly Post[] {
    const found = claims.get(file);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  }

  /** The article whose page stands in this file of the output. */
  function at(file: string): Post | undefined {
    const found = claims.get(file);
    return Array.isArray(found) ? found[0] : found;
  }

  function swap(file: string, before: Post | undefined, after: Post | undefined, isShown: boolean): void {
    if (before === after) return;
    all.swap(before, after);
    tags.swap(before, after);
    authors.swap(before, after);
    if (!isShown) {
      recordChange(before, after);
      files.add(file);
      for (const post of [before, after]) {
        if (post === undefined) continue;
        for (const other of affectedNeighbours(post, all, tags)) files.add(other.file);
      }
    }
    if (before !== undefined && posts.get(before.entry.path) === before)
      unroutable.set(before.entry.path, before.entry);
    if (after !== undefined) unroutable.delete(after.entry.path);
  }

  function recordChange(before: Post | undefined, after: Post | undefined): void {
    const path = (after ?? before)?.entry.path;
    if (path === undefined) return;
    articles.set(path, { before: articles.has(path) ? articles.get(path)?.before : before, after });
  }

  /** What has changed since the last call. */
  function takeChange(): SiteChange {
    const [ofTags, ofAuthors] = [tags.resolve(), authors.resolve()];
    const readdressed = [...ofTags.readdressed, ...ofAuthors.readdressed];
    const lists = new Set([...ofTags.changed, ...ofAuthors.changed, ...readdressed]);
    for (const term of readdressed) {
      term.list.touchAll();
      for (const post of term.list.items) for (const other of relink(post)) lists.add(other);
    }
    const change: SiteChange = {
      articles,
      pages: files,
      all: all.takeChange(),
      tags: ofTags,
      authors: ofAuthors,
      terms: new Map([...lists].map((term) => [term, term.list.takeChange()])),
      texts: changedTexts,
      unroutable: [...unroutable.values()],
    };
    [files, unroutable, articles, changedTexts] = [new Set(), new Map(), new Map(), new Set()];
    return change;
  }

  /** An article links a term that has another address now: its page and all lists that show it change. */
  function relink(post: Post): Term[] {
    files.add(post.file);
    all.touch(post);
    const terms = [tags, authors].flatMap((kind) =>
      kind.namesOf(post).flatMap((name) => kind.get(name) ?? []),
    );
    for (const { list } of terms) list.touch(post);
    return terms;
  }

  /** What was last taken in of an article file, whether or not it has a page. */
  function entryAt(path: string): IndexEntry | undefined {
    return posts.get(path)?.entry ?? offSite.get(path);
  }

  /** All of these. */
  function* entries(): Generator<IndexEntry> {
    for (const { entry } of posts.values()) yield entry;
    yield* offSite.values();
  }

  /** Everything that was taken in. */
  function* everything(): Generator<SourceEntry> {
    yield* entries();
    yield* texts.values();
  }

  return {
    /** Every article that has a page. */
    all,
    tags,
    authors,
    /** What the owner wrote besides articles, by the paths of the files. */
    texts: texts as ReadonlyMap<string, OwnerText>,
    /** The links to pages of the owner's; the same array as long as none of these pages has changed. */
    navigation: () => (navigation ??= navigationOf(texts.values())),
    at,
    entryAt,
    entries,
    everything,
    apply,
    applyText,
    takeChange,
  };
}

/** An article as lists hold it; undefined where its URL is none of this site's pages. */
function postOf(entry: IndexEntry, site: SiteInfo, isReserved: (file: string) => boolean): Post | undefined {
  const file = fileOf(entry.url, site);
  if (file === undefined || isReserved(file)) return undefined;
  const published = timeOf(entry.date);
  const modified = entry.updated === null ? published : timeOf(entry.updated);
  return { entry, file, time: published ?? 0, modified };
}
