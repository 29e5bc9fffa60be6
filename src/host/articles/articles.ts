import type { Article, ExtraKeys } from '../../article/article.js';
import type { ArticleState } from '../../article/publication.js';
import type { IncomingArticle, ReceivedArticle } from '../http/adapter.js';

/** The stored articles, for reading. */
export interface ArticleReader {
  /** The article with this id, or undefined. */
  get(id: string): Promise<ListedArticle | undefined>;
  /** The article at this public URL, or undefined; canonicalized as the contract says. */
  find(url: string): Promise<ListedArticle | undefined>;
  /** The ids of all articles, in no promised order. */
  ids(): Iterable<string>;
}

/** Which articles `list` returns; all conditions must hold. */
export interface ArticleQuery {
  readonly state?: ArticleState;
  /** In any spelling of the site's; of an article with more than a hundred tags, the first hundred count. */
  readonly tag?: string;
  readonly author?: string;
  /** Whether a person wrote it from nothing. */
  readonly handWritten?: boolean;
  /** The path of the last article of the page before. */
  readonly after?: string;
  /** @default 50 */
  readonly limit?: number;
}

/** An article and where it stands. */
export interface ListedArticle extends Article {
  /** Its file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly state: ArticleState;
  /** Whether a person wrote it from nothing. */
  readonly handWritten: boolean;
  /** Whether a person has written its text, or changed what came, in the file or in the admin: no plugin changes it then. */
  readonly isOfPerson: boolean;
}

/** A stored article in the form in which it was handed over. */
export type HandedOver = Required<Omit<IncomingArticle, 'source' | 'slug' | 'markdown'>> & {
  /** Missing if it came as HTML alone. */
  readonly markdown?: string;
};

/** What a plugin changes in an article. What is not named stays. */
export interface ArticlePatch {
  /** Front matter to set; `undefined` removes a key. Not that of Pressmark. */
  readonly frontMatter?: ExtraKeys;
  /** The text: Markdown, or HTML where the article came as HTML alone. */
  readonly body?: string;
  /** Absolute URL of the featured image. */
  readonly image?: string;
}

/** The states that can be set. */
export const SETTABLE_STATES = ['live', 'held', 'scheduled', 'expired'] as const;

export type SettableState = (typeof SETTABLE_STATES)[number];

/** The articles, for the process that stores them. */
export interface Articles extends ArticleReader {
  /**
   * Stores an article as a delivery would: durable when it resolves, through the same filters, and once for each id. Other
   * content for an id that is stored replaces the article, unless a person has edited it, in its file or in the admin. Front
   * matter that it does not have stays.
   *
   * @param options.once what tells a request from others. If the plugin has received an article for the same one within ten
   *   minutes, that one counts, as it is by now, and nothing is stored: for clients that send again where an answer was lost.
   * @throws PressmarkError BODY_INVALID; REVISION_CONFLICT if a person has edited it; FILTER_FAILED, STORE_FAILED, …
   */
  receive(article: IncomingArticle, options?: { readonly once?: string }): Promise<ReceivedArticle>;
  /**
   * Changes an article that a plugin has handed over, as if it was handed over again, by compare-and-set.
   *
   * @param make makes the new article from the stored one; called again where the article changes at the same moment.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if a person has edited it; what `receive` and `make` throw.
   */
  change(
    id: string,
    make: (article: HandedOver) => IncomingArticle | Promise<IncomingArticle>,
  ): Promise<ReceivedArticle>;
  /**
   * Articles in the order of their files' names, the last one first.
   *
   * @throws PressmarkError USAGE if a condition or a state does not exist.
   */
  list(query?: ArticleQuery): Promise<readonly ListedArticle[]>;
  /**
   * Changes an article: a new revision, a commit, a build.
   *
   * @param base the revision that the change was made from.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if the article is at another revision, or holds a person's
   *   edit; USAGE where a key is not for plugins, or is none of a change.
   */
  patch(id: string, base: string, change: ArticlePatch): Promise<Article>;
  /**
   * Shows or hides an article. Its URL stays, and what a person has written in the file.
   *
   * @param at the article's date from now on, ISO 8601; one to come schedules a live one. When an article expires; one to come
   *   is for a live or scheduled article alone. @default its date, or now
   * @throws PressmarkError ARTICLE_NOT_FOUND; USAGE where the state does not exist, or the file cannot be in it.
   */
  setState(id: string, state: SettableState, at?: string): Promise<Article>;
  /**
   * Has the pages of articles made again although nothing that Pressmark knows of has changed. A site of another generator is
   * built once. It resolves when that is asked for.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND: nothing is asked for.
   */
  rebuild(ids: readonly string[]): Promise<void>;
}
