import { join } from 'node:path';
import type { Article, ExtraKeys } from '../../article/article.js';
import { readTop } from '../../fs/read-text.js';
import { stampOf } from '../../fs/stamp.js';
import { type ContentFolder, type Entry, entryOf } from '../../store/catalog/entry.js';
import { excerptOf } from '../render/html-text.js';

/**
 * What the site's index holds of an article: all that other pages than its own show of it. Its texts are bounded, as
 * it stays in memory for each article; an article's own page is made from its file, and shows the whole texts.
 */
export interface IndexEntry extends Entry {
  readonly title: string;
  readonly description: string;
  readonly date: string;
  readonly updated: string | null;
  /** See `authorOf`. */
  readonly author: string;
  /** See `tagsOf`. */
  readonly tags: readonly string[];
  readonly image: string | null;
  /** The beginning of the text; undefined where there is a description. */
  readonly excerpt?: string;
  /** Undefined as long as only the beginning of the file has been read, and nobody has asked; see `ArticleCache`. */
  readingMinutes?: number | undefined;
  /** Front matter of the owner's and of plugins, see `listedExtra`; undefined where there is none. */
  readonly extra?: ExtraKeys;
  /** How many tags the file has, where not all of them get a page. */
  readonly tagCount?: number;
}

/** How many tags of one article get a page. */
export const MOST_TAGS = 100;

/** Characters of the texts in the index, at the most; longer ones are shortened, which an ellipsis shows. */
const LONGEST = { title: 300, description: 1_000, name: 200, date: 60 };

/** A longer address of an image is left out of the index: it cannot be shortened. */
const LONGEST_ADDRESS = 2_000;

/**
 * The entry of an article in the site's index. Its strings may be cut out of the file's text; see `ownStrings`.
 *
 * @param entry the same article in the catalog.
 * @param text what its text says; undefined where only the beginning of the file was read.
 */
export function indexEntryOf(
  entry: Entry,
  article: Omit<Article, 'revision'>,
  text?: { readonly html: string; readonly readingMinutes: number },
): IndexEntry {
  const { title, description, date, updated, image } = article;
  const tags = tagsOf(article);
  const extra = listedExtra(article.extra);
  return {
    ...(extra !== undefined && { extra }),
    ...(tags.length === MOST_TAGS && article.tags.length > MOST_TAGS && { tagCount: article.tags.length }),
    ...(text !== undefined && { readingMinutes: text.readingMinutes }),
    ...(text !== undefined && description.trim() === '' && { excerpt: excerptOf(text.html) }),
    ...entry,
    title: shortened(title, LONGEST.title),
    description: shortened(description, LONGEST.description),
    date: shortened(date, LONGEST.date),
    updated: updated === null ? null : shortened(updated, LONGEST.date),
    author: authorOf(article),
    tags,
    image: image !== null && image.length <= LONGEST_ADDRESS ? image : null,
  };
}

/** Characters, as JSON, of further front matter in the index: of one key, and of all. */
const LONGEST_EXTRA = { key: 1_000, all: 4_000 };

/** Further front matter as lists show it: without keys whose values are long, and not more than fits. */
function listedExtra(extra: ExtraKeys): ExtraKeys | undefined {
  let length = 0;
  const listed = Object.entries(extra).filter(([key, value]) => {
    const size = key.length + (JSON.stringify(value) ?? '').length;
    if (size > LONGEST_EXTRA.key || length + size > LONGEST_EXTRA.all) return false;
    length += size;
    return true;
  });
  return listed.length === 0 ? undefined : Object.fromEntries(listed);
}

/**
 * An article's tags as all pages show them, its own included: trimmed, each once, no empty ones, the first ones of many.
 */
export function tagsOf({ tags }: Pick<Article, 'tags'>): readonly string[] {
  const names = new Set<string>();
  for (const tag of tags) {
    const name = shortened(tag.trim(), LONGEST.name);
    if (name !== '') names.add(name);
    if (names.size === MOST_TAGS) break;
  }
  return [...names];
}

/** An article's author as all pages show it, its own included. */
export function authorOf({ author }: Pick<Article, 'author'>): string {
  return shortened(author.trim(), LONGEST.name);
}

/** A text of at most so many characters, none of them half a surrogate pair that was whole. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** So much of a file holds all that an entry needs, as a rule. */
const TOP_BYTES = 4_096;

/**
 * The entry of an article by the beginning of its file alone. It is not certain before the whole file has been read:
 * see `decodeTop`. Its strings are cut out of that text; see `ownStrings`.
 *
 * @returns undefined where the whole file must be read.
 */
export function readHeaderEntry(content: ContentFolder, path: string): IndexEntry | undefined {
  try {
    const { text, stat } = readTop(join(content.root, path), TOP_BYTES);
    const article = content.format.decodeTop(text, path);
    if (article === undefined || article.description.trim() === '') return undefined; // its excerpt is further down
    return indexEntryOf(entryOf(content, path, article, stampOf(stat)), article);
  } catch {
    // why that is will be met again
    return undefined;
  }
}
