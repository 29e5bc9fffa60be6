import type { Publication } from '../publication.js';

/** A front matter value to be written. A timestamp is written without quotes, so that YAML and TOML readers read a date. */
export type FrontMatterValue =
  | string
  | number
  | boolean
  | readonly FrontMatterValue[]
  | Timestamp
  | { readonly [key: string]: FrontMatterValue };

/** A date, with or without time, in its written form. */
export interface Timestamp {
  readonly kind: 'timestamp';
  /** Such as `2026-11-20T08:00:00Z` or `2026-11-20 17:00:00 +0900`. */
  readonly text: string;
}

/**
 * The front matter keys of an article's fields on a site; null if it has no key for a field. The keys of the picture, the
 * author and the category may be paths: see `keyPath`.
 */
export interface KeyNames {
  readonly title: string;
  readonly description: string | null;
  /** The first publication. */
  readonly date: string;
  /** The last update. */
  readonly updated: string | null;
  readonly tags: string | null;
  readonly image: string | null;
  /** @default null */
  readonly author?: string | null;
  /** @default null */
  readonly category?: string | null;
  /** The article's own URL. @default null */
  readonly canonical?: string | null;
}

/** The limits of an article's fields beyond which the site's build fails. */
export interface FieldLimits {
  /** In UTF-16 code units, as JavaScript counts. */
  readonly title?: number;
  readonly description?: number;
  /** The minimum length of a description: a shorter one is completed with the beginning of the text. */
  readonly descriptionFrom?: number;
  /** The number of tags. */
  readonly tags?: number;
}

/** An article's body from the service. */
export type IncomingBody =
  | { readonly kind: 'markdown'; readonly markdown: string; readonly html: string }
  | { readonly kind: 'html'; readonly html: string };

/** A stored body. */
export interface StoredBody {
  readonly text: string;
  /**
   * Front matter that makes the generator display the body unchanged, such as `templateEngineOverride: md`; undefined removes a
   * key.
   */
  readonly frontMatter: Readonly<Record<string, FrontMatterValue | undefined>>;
}

/** A file's parsed front matter and its path. */
export interface FileFacts {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The address of a file's page in its generator's list. */
export interface ListedAddress {
  /** See `addressDigest`; of the file when it was listed. */
  readonly digest: string;
  readonly address: string;
}

/**
 * The format of one site's article files: the part of a generator's definition that the codec needs. All functions are pure. An
 * address is the path of a URL below `siteUrl`, starting with a slash, such as `/blog/soil/`.
 */
export interface ArticleMapping {
  /**
   * The keys that lead to Pressmark's own front matter, such as `['extra', 'pressmark']`; empty if it is at the top, as on
   * sites that Pressmark builds. @default ['pressmark']
   */
  readonly own?: readonly string[];
  readonly keys: KeyNames;
  /** The site's authors: the key in front matter, by name. @default none */
  readonly authors?: Readonly<Record<string, string>>;
  /** Whether unknown authors are left out, because the build would fail at the name. @default false */
  readonly knownAuthorsOnly?: boolean;
  /** The site's categories. A new article gets those that its tags name. @default none */
  readonly categories?: readonly string[];
  /** The longest title and description, in characters, and the most tags. @default none */
  readonly limits?: FieldLimits;
  /** Front matter of every new article besides its fields, such as `layout: post`. Lists come before the article's own. */
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  /** Tags that an update of a hand-written post keeps, because the site's templates select posts by them. */
  readonly keptTags?: readonly string[];
  /** Whether the file name contains the date of a post without a date in its front matter (Jekyll). @default false */
  readonly datesByName?: boolean;
  /** Whether the generator reads `Title` as `title`. @default false */
  readonly ignoresKeyCase?: boolean;
  /** Keys that the generator prefers, such as Jekyll's `tag` before `tags`, by the key in `keys`. @default none */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Whether a text at the key of the tags, not an alias, has a tag in each word (Jekyll). @default false */
  readonly tagsAreWords?: boolean;
  /**
   * Keys besides `keys` and `pressmark` that plugins may not set: the pin, and keys that keep a body from running as a
   * template.
   */
  readonly reserved: readonly string[];
  /** Whether the generator reads articles from a file of this name, by its extension, such as `.md`, `.markdown`, `.html`. */
  isArticlePath(path: string): boolean;
  /**
   * The slug of a file: its name without extension, date prefix (Jekyll) and language (`index.de.md`); the folder's name for
   * `index.md`. A `slug` in the front matter takes precedence if the generator reads one.
   */
  slug(file: FileFacts): string;
  /** The value of a date's key; `iso` is ISO 8601. */
  date(iso: string): FrontMatterValue;
  /**
   * Escapes a text for front matter, at any key (the title, a tag, `pressmark.json_ld`), if the generator gives some texts a
   * special meaning; readers see the original. Undefined if it does not.
   *
   * @param field the description, if it has a key: generators write it into the head of the page.
   */
  writtenText?(sent: string, field?: 'description'): string;
  /** The inverse of `writtenText`. */
  sentText?(written: string): string;
  /** The written address of a picture; undefined leaves the picture out, as the build would fail. */
  image(url: string): string | undefined;
  /**
   * The name of a tag's page; two spellings with the same name are one tag. Empty if the generator cannot make a page of it.
   */
  tagKey(tag: string): string;
  /** The extension of a new article's file, `.md` or `.html`. */
  extension(body: IncomingBody): string;
  /** The body for a file of this name. All of its contents are displayed unchanged and never executed. */
  body(incoming: IncomingBody, path: string): StoredBody;
  /** Restores the sent Markdown from a result of `body`. Undefined if `body` does not change it. */
  sentBody?(stored: string): string;
  /** The front matter with which the generator makes no page of a file, even in builds by others. @default none */
  readonly held?: Readonly<Record<string, FrontMatterValue>>;
  /** The front matter that pins an address; empty if the file's name does. */
  pin(address: string): Readonly<Record<string, FrontMatterValue>>;
  /** Whether a file's page is certainly at this address, regardless of the site's permalink rule. */
  isPinned(file: FileFacts, address: string): boolean;
  /**
   * The time span in which the generator makes a page of a file. If the generator ignores future dates, only those of
   * Pressmark's own articles count: the receiver's builds leave them out until then.
   */
  publication(file: FileFacts): Publication;
}
