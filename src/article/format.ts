import { posix } from 'node:path';
import { amend } from './amend.js';
import type { Article } from './article.js';
import {
  type Address,
  decode,
  decodeForPages,
  decodeTop,
  encodeFirst,
  type FirstFile,
  OWN_KEYS,
  plainStoredUrl,
  plainWithStoredUrl,
  type ReadableArticle,
  type StoredArticle,
} from './codec.js';
import type { StoredUrl } from './stored-url.js';

/** How the article files of a site are named, read and written. Paths are below the content folder, with forward slashes. */
export interface ArticleFormat {
  /** Whether plugins may not set this front matter. */
  isOwnKey(key: string): boolean;
  /** What is read from the files depends on this besides the files; another value makes stored indexes worthless. */
  readonly key: string;
  /** Whether a URL that no file names and no generator has listed may be answered: where Pressmark builds the pages itself. */
  readonly hasCertainUrls: boolean;
  isArticlePath(path: string): boolean;
  /** The path of a new article, whose body decides the extension. */
  pathFor(pattern: string, draft: Pick<Article, 'body' | 'contentHtml'>): string;
  /**
   * Other paths at which a generator may make the same page as at this one: `x.html` and `x/index.md` for `x.md`. Where
   * the URLs differ all the same, generators warn, or drop one of the two.
   */
  namesakes(path: string): readonly string[];
  /** The slug of a file by its name alone. */
  slugOf(path: string): string;
  /** What two spellings of one tag have in common; undefined where each spelling is a tag of its own. */
  readonly tagKey: ((tag: string) => string) | undefined;
  /** The file of a new article. */
  encodeFirst(article: Omit<Article, 'revision'>, path: string): FirstFile;
  /** @throws PressmarkError FRONT_MATTER_INVALID, FRONT_MATTER_UNSUPPORTED. */
  decode(text: string, path: string): StoredArticle;
  /** @throws PressmarkError FRONT_MATTER_INVALID, FRONT_MATTER_UNSUPPORTED. */
  decodeForPages(text: string, path: string): ReadableArticle;
  /** What stands at the beginning of a file; undefined where the whole file must be read. */
  decodeTop(text: string, path: string): ReadableArticle['article'] | undefined;
  /**
   * The file that replaces another. What a person wrote stays, in its order and place.
   *
   * @param previous the whole present file.
   * @param stored the same file, decoded.
   * @param next the article as it shall be. Of its `extra`, only keys that differ from those of the file are written.
   * @param storedBody where `next.body` comes from an earlier version of the file and is in its stored form already.
   * @throws PressmarkError ARTICLE_UNREADABLE where the front matter cannot be rewritten without loss.
   */
  amend(previous: string, stored: StoredArticle, next: Article, path: string, storedBody?: BodyKind): Amended;
  /**
   * The URL in a file that was answered to the service; undefined where the file has none.
   *
   * @throws PressmarkError FRONT_MATTER_INVALID, FRONT_MATTER_UNSUPPORTED.
   */
  storedUrl(text: string, path: string): StoredUrl | undefined;
  /**
   * A file with another stored URL. A pristine file stays pristine and keeps its revision; an edited one stays edited.
   *
   * @throws PressmarkError ARTICLE_UNREADABLE where the file cannot be rewritten without loss.
   */
  withStoredUrl(text: string, path: string, url: string): string;
}

/** Whether a body is Markdown or HTML. */
export type BodyKind = 'markdown' | 'html';

/** A file that replaces another, and the article that it holds. */
export interface Amended {
  readonly text: string;
  readonly article: Article;
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
}

/** The folders of files that are not articles: the owner's pages, and descriptions of tags and authors. */
export const NO_ARTICLES = /^(?:pages|tags|authors)\//;

/**
 * The format of sites that Pressmark builds itself; docs/article-file.md describes it.
 *
 * @param url the public URL of an article whose file does not name one.
 */
export function plainFormat(url: (slug: string, date: string) => string): ArticleFormat {
  const slugOf = (path: string) => posix.basename(path, '.md');
  const fallback = (path: string) => ({ id: path, slug: slugOf(path), url });
  return {
    isOwnKey: (key) => OWN_KEYS.has(key),
    key: url('slug', '2001-02-03T00:00:00Z'),
    hasCertainUrls: true,
    isArticlePath: (path) => path.endsWith('.md') && !NO_ARTICLES.test(path),
    pathFor: (pattern) => pattern,
    namesakes: () => [],
    slugOf,
    tagKey: undefined,
    encodeFirst: (article) => encodeFirst(article),
    decode: (text, path) => decode(text, fallback(path)),
    decodeForPages: (text, path) => decodeForPages(text, fallback(path)),
    decodeTop: (text, path) => decodeTop(text, fallback(path)),
    amend: (previous, { article }, next) => ({ text: amend(previous, article, next), article: next }),
    storedUrl: plainStoredUrl,
    withStoredUrl: (text, path, url) => plainWithStoredUrl(text, decode(text, fallback(path)), url),
  };
}
