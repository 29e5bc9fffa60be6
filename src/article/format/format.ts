import type { Article } from '../article.js';
import { memoized } from '../names.js';
import { withKnownDates } from '../publication.js';
import type { AddressOptions } from './address.js';
import { type ArticleAmender, articleAmender } from './amend.js';
import { type ArticleDecoder, articleDecoder } from './decode.js';
import { type ArticleEncoder, articleEncoder } from './encode.js';
import { articleFields, incomingOf } from './fields.js';
import type { ArticleMapping } from './mapping.js';
import { heldIn, ownPath, siteKeys } from './site-keys.js';

/** How the article files of a site are named, read and written. Paths are below the content folder, with forward slashes. */
export interface ArticleFormat extends ArticleAmender, Omit<ArticleDecoder, 'read'> {
  readonly encode: ArticleEncoder;
  /** Whether plugins may not set this front matter. */
  isOwnKey(key: string): boolean;
  /** What is read from the files depends on this besides the files; another value makes stored indexes worthless. */
  readonly key: string;
  /** Whether a URL that no file names and no generator has listed may be answered: where Pressmark builds the pages itself. */
  readonly hasCertainUrls: boolean;
  isArticlePath(path: string): boolean;
  /** The extension of a new article's file, with its dot; a function where the body decides it. */
  readonly extension: string | ((draft: Pick<Article, 'body' | 'contentHtml'>) => string);
  /**
   * Other paths at which a generator may make the same page as at this one: `x.html` and `x/index.md` for `x.md`. Where
   * the URLs differ all the same, generators warn, or drop one of the two.
   */
  namesakes(path: string): readonly string[];
  /** Markdown as a person edits it, of an article's body. */
  sentBody(stored: string): string;
  /** The slug of a file by its name alone. */
  slugOf(path: string): string;
  /**
   * What two spellings of one tag have in common; empty if no article gets the tag. Undefined if each spelling is a tag
   * of its own.
   */
  readonly tagKey: ((tag: string) => string) | undefined;
  /** Whether the site has a key for authors, whose names then have one spelling each, as the generator may make pages of them. */
  readonly hasAuthors: boolean;
}

/**
 * The format of a site's article files: the site's own keys for what a page displays, and Pressmark's where the mapping
 * says. The body is the single source of the page. Files that people wrote are articles, too.
 */
export function articleFormat(given: AddressOptions): ArticleFormat {
  const mapping: ArticleMapping = {
    ...given.mapping,
    tagKey: memoized(given.mapping.tagKey),
    publication: (file) =>
      heldIn(file.data, ownPath(given.mapping)) === undefined
        ? withKnownDates(given.mapping.publication(file))
        : { kind: 'held' },
  };
  const options = { ...given, mapping };
  const { url, listed } = options;
  const own = siteKeys(mapping);
  const decoder = articleDecoder(options, own);
  const fields = articleFields(options, own);
  const { decode, storedUrl } = decoder;
  const extensionOf = (draft: Pick<Article, 'body' | 'contentHtml'>) => mapping.extension(incomingOf(draft));
  return {
    isOwnKey: own.isOwn,
    get key() {
      return `${url('slug', '2001-02-03T00:00:00Z')} ${listed?.version ?? ''}`;
    },
    hasCertainUrls: listed === undefined,
    isArticlePath: mapping.isArticlePath,
    extension: listed === undefined ? extensionOf({ body: '', contentHtml: '' }) : extensionOf,
    namesakes: (at) => (listed === undefined ? [] : namesakes(at)),
    sentBody: (stored) => mapping.sentBody?.(stored) ?? stored,
    slugOf: (at) => mapping.slug({ path: at, data: {} }),
    tagKey: listed === undefined || mapping.keys.tags === null ? undefined : own.tagKey,
    hasAuthors: listed !== undefined && mapping.keys.author != null,
    encode: articleEncoder(options, own, decoder, fields),
    ...articleAmender(options, own, decoder, fields),
    decode,
    storedUrl,
  };
}

const EXTENSIONS = ['.md', '.markdown', '.mdown', '.mdx', '.html', '.htm'];

function namesakes(path: string): string[] {
  const stem = path.replace(/\.\w+$/, '');
  return [stem, `${stem}/index`]
    .flatMap((name) => EXTENSIONS.map((extension) => `${name}${extension}`))
    .filter((other) => other !== path);
}
