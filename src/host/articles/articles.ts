import type { Article, ExtraKeys } from '../../article/article.js';
import type { AssetName, StoredAsset } from '../../article/asset.js';
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
  /** In any spelling that the site uses. Only the first hundred tags of an article are considered. */
  readonly tag?: string;
  readonly author?: string;
  /** Whether a person wrote it, and no service sent it. */
  readonly handWritten?: boolean;
  /** The path of the last article on the previous page. */
  readonly after?: string;
  /** @default 50 */
  readonly limit?: number;
}

/** An article and where it stands. */
export interface ListedArticle extends Article {
  /** Its file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly state: ArticleState;
  /** Whether a person wrote it, and no service sent it. */
  readonly handWritten: boolean;
  /** Whether a person has written or changed its text, in the file or in the admin. Plugins cannot change such an article. */
  readonly isOfPerson: boolean;
}

/** A stored article in the form in which it was handed over. */
export type HandedOver = Required<Omit<IncomingArticle, 'source' | 'slug' | 'markdown'>> & {
  /** Missing if it came as HTML alone. */
  readonly markdown?: string;
};

/** A plugin's change of an article. Fields that are left out stay as they are. */
export interface ArticlePatch {
  /** Front matter to set; `undefined` removes a key. Pressmark's own keys are not allowed. */
  readonly frontMatter?: ExtraKeys;
  /** The text: Markdown, or HTML if the article came as HTML alone. */
  readonly body?: string;
  /** Absolute URL of the featured image. */
  readonly image?: string;
}

/** The states that can be set. */
export const SETTABLE_STATES = ['live', 'held', 'scheduled', 'expired'] as const;

export type SettableState = (typeof SETTABLE_STATES)[number];

/** The articles, in the process that stores them. */
export interface Articles extends ArticleReader {
  /**
   * Stores an article like a delivery: through the same filters, once for each id, and durable when the promise resolves. New
   * content for a stored id replaces the article, unless a person has edited it in its file or in the admin. Front matter that
   * the new content leaves out stays.
   *
   * @param options.once identifies the request. If the plugin has received an article for the same request within the last ten
   *   minutes, that article is returned as it is now, and nothing is stored: clients send a request again if its answer was
   *   lost.
   * @throws PressmarkError BODY_INVALID; REVISION_CONFLICT if a person has edited it; FILTER_FAILED, STORE_FAILED, …
   */
  receive(article: IncomingArticle, options?: { readonly once?: string }): Promise<ReceivedArticle>;
  /**
   * Changes an article that this plugin has handed over, by compare-and-set, as if the plugin had handed it over again.
   *
   * @param make makes the new article from the stored one; called again if the article changes meanwhile.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if a person has edited it; what `receive` and `make` throw.
   */
  change(
    id: string,
    make: (article: HandedOver) => IncomingArticle | Promise<IncomingArticle>,
  ): Promise<ReceivedArticle>;
  /**
   * Articles in descending order of their file names.
   *
   * @throws PressmarkError USAGE if a condition or a state does not exist.
   */
  list(query?: ArticleQuery): Promise<readonly ListedArticle[]>;
  /**
   * Changes an article: a new revision, a commit, a build.
   *
   * @param base the revision that the change was made from.
   * @throws PressmarkError ARTICLE_NOT_FOUND; REVISION_CONFLICT if the article is at another revision, or holds a person's
   *   edit; USAGE if a key is unknown, or is not for plugins.
   */
  patch(id: string, base: string, change: ArticlePatch): Promise<Article>;
  /**
   * Shows or hides an article. Its URL and a person's edits stay.
   *
   * @param at the article's new date, ISO 8601; a date in the future schedules a live article. For `expired`, the date on which
   *   it expires; a date in the future needs a live or scheduled article. @default its date, or now
   * @throws PressmarkError ARTICLE_NOT_FOUND; USAGE if the state does not exist, or the file cannot have it.
   */
  setState(id: string, state: SettableState, at?: string): Promise<Article>;
  /**
   * Requests a new build of the pages of these articles, although Pressmark sees no change. A site with its own generator is
   * built once. Resolves when the build is requested.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND: nothing is requested.
   */
  rebuild(ids: readonly string[]): Promise<void>;
}

/** The images and other files that articles refer to. */
export interface Assets {
  /**
   * Stores a file in the folder that the site's generator copies to the site; durable when the promise resolves. Equal bytes
   * get the same URL. The file is committed together with the article that it belongs to, or whose file names it.
   *
   * @param bytes such as a file of a form: an image, a sound, a film or a PDF; at most 10,000,000 bytes.
   * @throws PressmarkError TYPE_UNSUPPORTED if it is another kind of file, or does not match `type`; BODY_TOO_LARGE;
   *   STORE_FAILED.
   */
  put(bytes: Uint8Array | Blob, name?: AssetName): Promise<StoredAsset>;
}
