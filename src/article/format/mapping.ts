import type { Publication } from '../publication.js';

/** A front matter value as it is written: a timestamp stands without quotes, so that YAML and TOML readers take it for one. */
export type FrontMatterValue =
  | string
  | number
  | boolean
  | readonly FrontMatterValue[]
  | Timestamp
  | { readonly [key: string]: FrontMatterValue };

/** A date, with or without time, in the form in which it is to be written. */
export interface Timestamp {
  readonly kind: 'timestamp';
  /** Such as `2026-11-20T08:00:00Z` or `2026-11-20 17:00:00 +0900`. */
  readonly text: string;
}

/**
 * The front matter keys in which a site keeps the fields of an article; null if it has no key for one. Those of the
 * picture, the author and the category may be paths: see `keyPath`.
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

/** The limits of an article's fields beyond which the site's build stops. */
export interface FieldLimits {
  /** In UTF-16 code units, as JavaScript counts. */
  readonly title?: number;
  readonly description?: number;
  /** The shortest description: a shorter one is completed with the beginning of the text. */
  readonly descriptionFrom?: number;
  /** How many. */
  readonly tags?: number;
}

/** An article's body as the service sent it. */
export type IncomingBody =
  | { readonly kind: 'markdown'; readonly markdown: string; readonly html: string }
  | { readonly kind: 'html'; readonly html: string };

/** A body as it is stored. */
export interface StoredBody {
  readonly text: string;
  /**
   * Front matter which the body needs so that the generator displays it as written, such as
   * `templateEngineOverride: md`; undefined removes a key.
   */
  readonly frontMatter: Readonly<Record<string, FrontMatterValue | undefined>>;
}

/** A file's front matter, read, and where the file stands. */
export interface FileFacts {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where the page of a file is, as its generator has listed it. */
export interface ListedAddress {
  /** See `addressDigest`; of the file as it was then. */
  readonly digest: string;
  readonly address: string;
}

/**
 * How the article files of one site read: the part of a generator's definition that the codec needs. All functions
 * are pure. An address is the path of a URL below `siteUrl`, starting with a slash, such as `/blog/soil/`.
 */
export interface ArticleMapping {
  /**
   * The keys that lead to Pressmark's own front matter, such as `['extra', 'pressmark']`; none if it stands at the top,
   * as on sites that Pressmark builds. @default ['pressmark']
   */
  readonly own?: readonly string[];
  readonly keys: KeyNames;
  /** The authors that the site knows, by name: the key that stands in the front matter for each. @default none */
  readonly authors?: Readonly<Record<string, string>>;
  /** Whether any other author is left out, as the build would fail at the name. @default false */
  readonly knownAuthorsOnly?: boolean;
  /** The categories of the site. A new article gets those that its tags name. @default none */
  readonly categories?: readonly string[];
  /** The longest title and description that the site takes, in characters, and the most tags. @default none */
  readonly limits?: FieldLimits;
  /** Front matter that every new article has besides its fields, such as `layout: post`. Lists are put before the article's own. */
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  /** Tags that an update of a hand-written post keeps, because the site's templates select posts by them. */
  readonly keptTags?: readonly string[];
  /** Whether a file's name has the date of a post without a date in its front matter (Jekyll). @default false */
  readonly datesByName?: boolean;
  /** Whether the generator reads `Title` as `title`. @default false */
  readonly ignoresKeyCase?: boolean;
  /** Names that the generator reads before those of `keys`, such as Jekyll's `tag` before `tags`, by the latter. @default none */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Whether a text at the key of the tags, unless that is an alias, has a tag in each word (Jekyll). @default false */
  readonly tagsAreWords?: boolean;
  /** Keys besides `keys` and `pressmark` that plugins may not set: the pin and what keeps a body from running as a template. */
  readonly reserved: readonly string[];
  /** Whether the generator reads articles from a file of this name: by its extension, such as `.md`, `.markdown`, `.html`. */
  isArticlePath(path: string): boolean;
  /**
   * The slug by which a file is known: without extension, date prefix (Jekyll) and language (`index.de.md`); the
   * folder's name for `index.md`. A `slug` in the front matter goes first where the generator reads one.
   */
  slug(file: FileFacts): string;
  /** The value for the key of a date; `iso` is ISO 8601. */
  date(iso: string): FrontMatterValue;
  /**
   * A text as it is to stand in the front matter, at whatever key (the title, a tag, `pressmark.json_ld`), where the
   * generator takes some texts for more than texts; the reader sees what was sent. Absent where it takes none.
   *
   * @param field the description, where it has a key: generators write it into the head of the page.
   */
  writtenText?(sent: string, field?: 'description'): string;
  /** The inverse of `writtenText`. */
  sentText?(written: string): string;
  /** The address of the picture as it is written; undefined leaves it out, as the site would not build with this one. */
  image(url: string): string | undefined;
  /** The name of a tag's page, by which two spellings are one tag. Empty if the generator cannot make a page of it. */
  tagKey(tag: string): string;
  /** The extension of a new article's file, `.md` or `.html`. */
  extension(body: IncomingBody): string;
  /** The body for a file of this name. Whatever it holds is displayed as written and is never executed. */
  body(incoming: IncomingBody, path: string): StoredBody;
  /** Markdown as it came, of what `body` has made of it. Absent where `body` changes nothing that it made. */
  sentBody?(stored: string): string;
  /** The front matter by which the generator makes no page of a file, in the builds of others too. @default none */
  readonly held?: Readonly<Record<string, FrontMatterValue>>;
  /** The front matter that pins an address; empty if the file's name does. */
  pin(address: string): Readonly<Record<string, FrontMatterValue>>;
  /** Whether a file's page is at this address for certain, whatever the site's permalink rule is. */
  isPinned(file: FileFacts, address: string): boolean;
  /**
   * When the generator makes a page of a file. Where it knows no dates to come, those of articles that Pressmark has stored:
   * the builds of the receiver leave these out until then.
   */
  publication(file: FileFacts): Publication;
}
