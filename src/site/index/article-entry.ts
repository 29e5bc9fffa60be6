import { type Article, type ExtraKeys, PLACEHOLDER_TITLE } from '../../article/article.js';
import { shortened, termKey, termName, trimmedName } from '../../article/names.js';
import type { ArticleLink, ArticleSummary, SiteInfo } from '../../host/pages/page-types.js';
import { type Entry, ownStrings } from '../../store/catalog/entry.js';
import { fileOf } from './addresses.js';
import { dateOf, isoOf } from './dates.js';
import { excerptOf, lengthOf } from './html-text.js';

/**
 * The entry of an article in the site's index: the fields that other pages show. Texts are shortened, as entries stay in
 * memory; the article's own page is made from its file, with the whole texts.
 */
export interface ArticleEntry extends Entry {
  /** The file of its page, below the output folder; null if this site does not serve its URL. */
  readonly file: string | null;
  /** The first publication, in ms since 1970; an invalid date counts as oldest. */
  readonly time: number;
  /** The last change, ISO 8601 in UTC; null if the file has no date. */
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
  /** Additional front matter; see `listedExtra`. Undefined if there is none. */
  readonly extra?: ExtraKeys;
  /** The inputs of plugins' derived data, by name; undefined if there are none. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** An article that has a page. */
export type Post = ArticleEntry & { readonly file: string };

/** The maximum number of tags of one article. */
const MOST_TAGS = 100;

/** The longest texts in the index, in characters; longer ones are cut and end with an ellipsis. */
const LONGEST = { title: 300, description: 1_000, name: 200, date: 60 };

/** The longest address of an image, in characters; longer ones are left out, as they cannot be shortened. */
const LONGEST_ADDRESS = 2_000;

/**
 * Makes an article's entry for the site's index.
 *
 * @param entry the same article in the catalog.
 * @param html the article's HTML.
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

/** The longest value of an additional front matter key in the index, in characters of JSON. */
const LONGEST_EXTRA = 1_000;

/** Returns additional front matter for lists, without keys that have long values. */
function listedExtra(extra: ExtraKeys): ExtraKeys | undefined {
  const listed = Object.entries(extra).filter(
    ([key, value]) => key.length + (JSON.stringify(value) ?? '').length <= LONGEST_EXTRA,
  );
  return listed.length === 0 ? undefined : Object.fromEntries(listed);
}

/**
 * Returns an article's tags for all pages: trimmed, not empty, each once regardless of its spelling (see `termKey`), and at
 * most `MOST_TAGS`.
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

/** Returns an article's author for all pages. */
export function authorOf({ author }: Pick<Article, 'author'>): string {
  return shortened(termName(author), LONGEST.name);
}

/** Makes a link to an article for another page; its values are safe in attributes. */
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

/** Makes the summary of an article for lists and feeds. */
export function summaryOf(
  entry: Omit<ArticleEntry, 'path' | 'fingerprint' | 'file' | 'time' | 'modified' | 'words'>,
): ArticleSummary {
  const { id, updated, author, tags, excerpt = entry.description, readingMinutes, extra = {} } = entry;
  const modified = (updated === null ? undefined : isoOf(updated)) ?? null;
  return { ...linkOf(entry), id, updated, modified, author, tags, excerpt, readingMinutes, extra };
}

/** Returns an image's absolute address; null if there is none, or if it is not HTTP(S), such as `javascript:`. */
function safeImage(image: string | null, base: string): string | null {
  if (image === null || image.trim() === '') return null;
  if (!URL.canParse(image, base)) return null;
  const { protocol, href } = new URL(image, base);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
