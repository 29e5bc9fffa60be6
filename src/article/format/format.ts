import type { Article } from '../article.js';
import { memoized } from '../names.js';
import { withKnownDates } from '../publication.js';
import type { AddressOptions } from './address.js';
import { type ArticleAmender, articleAmender } from './amend.js';
import { type ArticleDecoder, articleDecoder } from './decode.js';
import { type ArticleEncoder, articleEncoder } from './encode.js';
import { articleFields, incomingOf } from './fields.js';
import type { ArticleMapping, FileFacts } from './mapping.js';
import { heldIn, ownOf, ownPath, scalarOf, siteKeys } from './site-keys.js';

/** The names, reading and writing of a site's article files. Paths are below the content folder, with forward slashes. */
export interface ArticleFormat extends ArticleAmender, Omit<ArticleDecoder, 'read'> {
  readonly encode: ArticleEncoder;
  /** Whether a front matter key is Pressmark's own, which plugins may not set. */
  isOwnKey(key: string): boolean;
  /** Whether Pressmark has stored the article of a file with this front matter. */
  isStored(data: FileFacts['data']): boolean;
  /**
   * Identifies what an index of files depends on besides the files: the URL pattern, the generator's list and the settings.
   * Stored indexes with another key are invalid.
   */
  readonly key: string;
  /** Whether an article's URL is known without a generator's list, so that an answer may name it. */
  readonly hasCertainUrls: boolean;
  isArticlePath(path: string): boolean;
  /** The extension of a new article's file, with its dot; a function if it depends on the body. */
  readonly extension: string | ((draft: Pick<Article, 'body' | 'contentHtml'>) => string);
  /**
   * Other paths at which a generator may make the same page: `x.html` and `x/index.md` for `x.md`. Even if the URLs differ,
   * generators warn or drop one of the two.
   */
  namesakes(path: string): readonly string[];
  /** The Markdown of a stored body, as a person edits it. */
  sentBody(stored: string): string;
  /** The slug of a file, by its name alone. */
  slugOf(path: string): string;
  /**
   * The form that two spellings of a tag share; empty if the tag is impossible. Undefined if each spelling is a separate tag.
   */
  readonly tagKey: ((tag: string) => string) | undefined;
  /**
   * Whether the site has a key for authors. Their names then have one spelling each, as the generator may make pages of them.
   */
  readonly hasAuthors: boolean;
}

/** The options of a format. */
export interface FormatOptions extends AddressOptions {
  /** Identifies the settings of the mapping, such as the time zone of dates. @default '' */
  readonly settingsKey?: string;
}

/**
 * The format of a site's article files: the site's own keys for displayed fields, and Pressmark's as in the mapping. The body
 * is the only source of the page. Files that people wrote are articles, too.
 */
export function articleFormat(given: FormatOptions): ArticleFormat {
  const mapping: ArticleMapping = {
    ...given.mapping,
    tagKey: memoized(given.mapping.tagKey),
    // Pressmark's `held` comes before the site's dates, and dates that the definition could not read do not count.
    publication: (file) =>
      heldIn(file.data, ownPath(given.mapping)) === undefined
        ? withKnownDates(given.mapping.publication(file))
        : { kind: 'held' },
  };
  const options = { ...given, mapping };
  const { url, listed, settingsKey = '' } = options;
  const isBuiltHere = listed === undefined; // by Pressmark, not by another generator
  const own = siteKeys(mapping);
  const decoder = articleDecoder(options, own);
  const fields = articleFields(options, own);
  const { decode, storedUrl } = decoder;
  const extensionOf = (draft: Pick<Article, 'body' | 'contentHtml'>) => mapping.extension(incomingOf(draft));
  return {
    isOwnKey: own.isOwn,
    isStored: (data) => (scalarOf(ownOf(data, own.path).id) ?? '') !== '',
    get key() {
      return `${url('slug', '2001-02-03T00:00:00Z')} ${listed?.version ?? ''} ${settingsKey}`;
    },
    hasCertainUrls: isBuiltHere,
    isArticlePath: mapping.isArticlePath,
    extension: isBuiltHere ? extensionOf({ body: '', contentHtml: '' }) : extensionOf,
    namesakes: (at) => (isBuiltHere ? [] : namesakes(at)),
    sentBody: (stored) => mapping.sentBody?.(stored) ?? stored,
    slugOf: (at) => mapping.slug({ path: at, data: {} }),
    tagKey: isBuiltHere || mapping.keys.tags === null ? undefined : own.tagKey,
    hasAuthors: !isBuiltHere && mapping.keys.author != null,
    encode: articleEncoder(options, own, decoder, fields),
    ...articleAmender(options, own, decoder, fields),
    decode,
    storedUrl,
  };
}

const EXTENSIONS = ['.md', '.markdown', '.mdown', '.mdx', '.html', '.htm'];

function namesakes(path: string): string[] {
  const stem = path.replace(/(?:\/index)?\.\w+$/, '');
  return [stem, `${stem}/index`]
    .flatMap((name) => EXTENSIONS.map((extension) => `${name}${extension}`))
    .filter((other) => other !== path);
}
