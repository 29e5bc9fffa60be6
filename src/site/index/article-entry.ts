import { type Article, type ExtraKeys, PLACEHOLDER_TITLE } from '../../article/article.js';
import { shortened, termKey, termName, trimmedName } from '../../article/names.js';
import type { ArticleLink, ArticleSummary, SiteInfo } from '../../host/pages/page-types.js';
import { type Entry, ownStrings } from '../../store/catalog/entry.js';
import { fileOf } from './addresses.js';
import { dateOf, isoOf } from './dates.js';
import { excerptOf, lengthOf } from './html-text.js';

/**
 * What the site's index holds of an article: all that pages other than its own show of it. Its texts are bounded, as
 * it stays in memory for each article; an article's own page is made from its file, and shows the whole texts.
 */
export interface ArticleEntry extends Entry {
  /** Its page, below the output folder; null if this site does not serve its URL. */
  readonly file: string | null;
  /** First publication in ms since 1970; a text that is not a date counts as oldest. */
  readonly time: number;
  /** Last change as ISO 8601 in UTC; null if the file names no date. */
  readonly modified: string | null;
  readonly title: string;
  readonly description: string;
  readonly date: string;
  readonly updated: string | null;
  /** See `authorOf`. */
  readonly author: string;
  /** See `tagsOf`. */
  readonly tags: readonly string[];
  readonly image: string | null;
  /** The beginning of the text; undefined if there is a description. */
  readonly excerpt?: string;
  readonly words: number;
  readonly readingMinutes: number;
  /** Front matter of the owner's and of plugins, see `listedExtra`; undefined if there is none. */
  readonly extra?: ExtraKeys;
  /** What data that plugins derive is made of, by its name; undefined if there is none. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** An article that has a page. */
export type Post = ArticleEntry & { readonly file: string };

/** How many tags of one article get a page. */
const MOST_TAGS = 100;

/** Characters of the texts in the index, at the most; longer ones are shortened, which an ellipsis shows. */
const LONGEST = { title: 300, description: 1_000, name: 200, date: 60 };

/** A longer address of an image is left out of the index: it cannot be shortened. */
const LONGEST_ADDRESS = 2_000;

/**
 * The entry of an article in the site's index.
 *
 * @param entry the same article in the catalog.
 * @param html its text.
 */
export function articleEntry(
  entry: Entry,
  site: SiteInfo,
  article: Omit<Article, 'revision'>,
  html: string,
): ArticleEntry {
  const { title, description, date, updated, image } = article;
  const tags = tagsOf(article);
  const extra = listedExtra(article.extra);
  return ownStrings({
    ...entry,
    ...(extra !== undefined && { extra }),
    ...(description.trim() === '' && { excerpt: excerptOf(html) }),
    file: fileOf(entry.url, site) ?? null,
    time: dateOf(date)?.getTime() ?? 0,
    modified: isoOf(updated ?? date) ?? null,
    ...lengthOf(html),
    title: shortened(title, LONGEST.title),
    description: shortened(description, LONGEST.description),
    date: shortened(date, LONGEST.date),
    updated: updated === null ? null : shortened(updated, LONGEST.date),
    author: authorOf(article),
    tags,
    image: image !== null && image.length <= LONGEST_ADDRESS ? image : null,
  });
}

/** Characters, as JSON, of a key of further front matter in the index. */
const LONGEST_EXTRA = 1_000;

/** Further front matter as lists show it: without keys whose values are long. */
function listedExtra(extra: ExtraKeys): ExtraKeys | undefined {
  const listed = Object.entries(extra).filter(
    ([key, value]) => key.length + (JSON.stringify(value) ?? '').length <= LONGEST_EXTRA,
  );
  return listed.length === 0 ? undefined : Object.fromEntries(listed);
}

/**
 * An article's tags as all pages show them, its own included: trimmed, each once whatever its spelling (see `termKey`),
 * no empty ones, the first ones of many.
 */
export function tagsOf({ tags }: Pick<Article, 'tags'>): readonly string[] {
  const names = new Map<string, string>();
  for (const tag of tags) {
    const name = shortened(trimmedName(tag), LONGEST.name);
    const key = termKey(name);
    if (name !== '' && !names.has(key)) names.set(key, name);
    if (names.size === MOST_TAGS) break;
  }
  return [...names.values()];
}

/** An article's author as all pages show it, its own included. */
export function authorOf({ author }: Pick<Article, 'author'>): string {
  return shortened(termName(author), LONGEST.name);
}

/** An article as another one's page links to it: nothing in it is a danger in an attribute. */
export function linkOf({
  title,
  description,
  date,
  image,
  url,
}: Pick<ArticleEntry, 'title' | 'description' | 'date' | 'image' | 'url'>): ArticleLink {
  return {
    title: title.trim() === '' ? PLACEHOLDER_TITLE : title,
    description,
    date,
    published: isoOf(date) ?? null,
    image: safeImage(image, url),
    url,
  };
}

/** An article as lists and feeds show it. */
export function summaryOf(
  entry: Omit<ArticleEntry, 'path' | 'fingerprint' | 'file' | 'time' | 'modified' | 'words'>,
): ArticleSummary {
  const { id, updated, author, tags, excerpt = entry.description, readingMinutes, extra = {} } = entry;
  const modified = (updated === null ? undefined : isoOf(updated)) ?? null;
  return { ...linkOf(entry), id, updated, modified, author, tags, excerpt, readingMinutes, extra };
}

/** An image's absolute address; null for one that is none, or is no HTTP(S) address, such as `javascript:`. */
function safeImage(image: string | null, base: string): string | null {
  if (image === null || image.trim() === '') return null;
  if (!URL.canParse(image, base)) return null;
  const { protocol, href } = new URL(image, base);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
