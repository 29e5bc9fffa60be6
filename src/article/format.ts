import { isDeepStrictEqual } from 'node:util';
import { PressmarkError } from '../errors.js';
import { type AddressOptions, addressIn, urlOf } from './address.js';
import type { Article, ExtraKeys } from './article.js';
import { digestIn, digestOf, editRevision, sealed, sealedFirst } from './digest.js';
import { editFrontMatter, type FrontMatterChange, newFrontMatter } from './front-matter/edit.js';
import { listOf, readFrontMatter, requireYaml, textOf } from './front-matter/read.js';
import { type KeyPath, keyPath, topKeys } from './key-path.js';
import { spelledKey } from './key-spelling.js';
import type { FileFacts, FrontMatterValue, IncomingBody } from './mapping.js';
import { shownMarkdown } from './markdown.js';
import { OWN_KEYS_AT_TOP, ownChanges, ownOf, ownPath } from './own-keys.js';
import {
  type Address,
  type BodyKind,
  type ReadableArticle,
  renderedHtml,
  type StoredArticle,
  type StoredUrl,
} from './stored-article.js';

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
  /** The file of a new article. Without a revision, it is made from everything else that stands in the file. */
  encode(article: NewArticle, path: string): EncodedFile;
  /** @throws PressmarkError FRONT_MATTER_INVALID, FRONT_MATTER_UNSUPPORTED. */
  decode(text: string, path: string): StoredArticle;
  /** @throws PressmarkError FRONT_MATTER_INVALID, FRONT_MATTER_UNSUPPORTED. */
  decodeForPages(text: string, path: string): ReadableArticle;
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

/** An article that is to be stored, with or without its revision. */
export type NewArticle = Omit<Article, 'revision'> & Partial<Pick<Article, 'revision'>>;

/** A file that replaces another, and the article that it holds. */
export interface Amended {
  readonly text: string;
  readonly article: Article;
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
}

/** A new article's file. */
export interface EncodedFile extends Amended {
  /** The text in UTF-8. */
  readonly bytes: Uint8Array;
}

/** A file that was read: its article, and what else is needed of it. */
interface ReadFile {
  readonly article: Omit<Article, 'revision'>;
  readonly own: FileFacts['data'];
  readonly data: FileFacts['data'];
  readonly address: Address | undefined;
  readonly bodyKind: BodyKind;
}

/**
 * The format of a site's article files: the site's own keys for what a page displays, and Pressmark's where the mapping
 * says. The body is the single source of the page. Files that people wrote are articles, too.
 */
export function articleFormat(options: AddressOptions): ArticleFormat {
  const { mapping, siteUrl, url, listed } = options;
  const { keys, constants, keptTags = [] } = mapping;
  const path = ownPath(mapping);
  const isTop = path.length === 0;
  const written = mapping.writtenText ?? ((text: string) => text);
  const sent = mapping.sentText ?? ((text: string) => text);
  const [imageAt, authorAt] = [keys.image, keys.author].map((at) => (at == null ? undefined : keyPath(at)));
  const ownKeys: ReadonlySet<string> = new Set([
    ...(isTop ? OWN_KEYS_AT_TOP : path.slice(0, 1)),
    ...topKeys(keys),
    ...mapping.reserved,
  ]);
  const foldedKeys = new Set([...ownKeys].map((key) => key.toLowerCase()));
  const constantTags = keys.tags === null ? [] : looseList(constants[keys.tags]);
  const constantTagKeys = new Set(constantTags.map(mapping.tagKey));

  // Where all front matter is Pressmark's, a value of another kind is a mistake; elsewhere a theme may want it so.
  const textIn = (map: FileFacts['data'], key: string) => {
    const text = isTop ? textOf(map, key) : scalarOf(map[key]);
    return text === undefined ? undefined : sent(text);
  };
  const textsIn = (map: FileFacts['data'], key: string) =>
    (isTop ? listOf(map, key) : looseList(map[key])).map(sent);

  function read(text: string, at: string): ReadFile {
    if (at.endsWith('.mdx'))
      throw new PressmarkError('FRONT_MATTER_UNSUPPORTED', 'an .mdx file is a program, and is not read');
    if (isTop) requireYaml(text);
    const { data: inFile, body } = readFrontMatter(text);
    const data = withKnownKeys(inFile);
    const file: FileFacts = { path: at, data };
    const own = ownOf(data, path);
    const ownText = (name: string) => textIn(own, name);
    const field = (key: string | null, name: string) => (key === null ? ownText(name) : textIn(data, key));
    const slug = mapping.slug(file);
    const date = dateOf(textIn(data, keys.date), isTop ? undefined : ownText('published')) ?? '';
    const page = urlOf(options, file, ownText('url'), slug, date);
    const article = {
      id: ownText('id') ?? at,
      title: field(keys.title, 'title') ?? slug,
      description: field(keys.description, 'description') ?? '',
      date,
      updated: updatedOf(data, ownText('updated')),
      author:
        authorAt === undefined ? (ownText('author') ?? '') : sent(authorAt.read(data[authorAt.key]) ?? ''),
      tags: withoutConstants(keys.tags === null ? textsIn(own, 'tags') : textsIn(data, keys.tags)),
      keyword: ownText('keyword') ?? '',
      image: imageAt === undefined ? (ownText('image') ?? null) : imageAt.read(data[imageAt.key]),
      slug,
      url: page.url,
      extra: Object.fromEntries(Object.entries(data).filter(([key]) => !ownKeys.has(key))),
      jsonLd: ownText('json_ld') ?? '',
      contentHtml: ownText('content_html') ?? '',
      body,
    };
    return { article, own, data, address: page.address, bodyKind: isTop ? 'markdown' : bodyKindOf(own, at) };
  }

  /** Keys of a file as they are written there, by the names that the mapping has for them. */
  function spellings(data: FileFacts['data']): ReadonlyMap<string, string> {
    if (mapping.ignoresKeyCase !== true) return new Map();
    const found = [...ownKeys].map((key) => [key, spelledKey(data, key, mapping)] as const);
    return new Map(found.filter(([key, name]) => name !== key));
  }

  function withKnownKeys(data: FileFacts['data']): FileFacts['data'] {
    const known = new Map([...spellings(data)].map(([key, name]) => [name, key]));
    if (known.size === 0) return data;
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [known.get(name) ?? name, value]));
  }

  /** Making the key of each tag takes long where there are many. */
  function withoutConstants(tags: string[]): string[] {
    return constantTagKeys.size === 0
      ? tags
      : tags.filter((tag) => !constantTagKeys.has(mapping.tagKey(tag)));
  }

  /** A date as it was sent where the file still holds that date; else as a person wrote it. */
  function dateOf(inFile: string | undefined, asSent: string | undefined): string | undefined {
    if (asSent === undefined || inFile === undefined) return asSent ?? inFile;
    return inFile === valueText(mapping.date(asSent)) ? asSent : inFile;
  }

  function updatedOf(data: FileFacts['data'], asSent: string | undefined): string | null {
    return (keys.updated === null ? asSent : dateOf(textIn(data, keys.updated), asSent)) ?? null;
  }

  function decodeForPages(text: string, at: string): ReadableArticle {
    const file = read(text, at);
    const { article } = file;
    const html = () => renderedHtml({ article, bodyEdited: isBodyEdited(file), ...kindOf(file) });
    return { article, html, ...addressField(file) };
  }

  function decode(text: string, at: string): StoredArticle {
    const file = read(text, at);
    const { article, own } = file;
    const digest = scalarOf(own.digest);
    const sealedRevision = textIn(own, 'revision');
    const edited = digest === undefined || digest !== digestIn(text, digest, sealedRevision ?? '');
    const revision = (edited ? undefined : sealedRevision) ?? editRevision(text);
    return {
      article: { revision, ...article },
      edited,
      bodyEdited: isBodyEdited(file),
      digest,
      ...kindOf(file),
      ...addressField(file),
    };
  }

  function encode({ revision: given, ...article }: NewArticle, at: string): EncodedFile {
    const incoming = incomingOf(article);
    const body = mapping.body(incoming, at);
    const { [keys.tags ?? '']: _, ...others } = constants;
    const entries: FrontMatterChange[] = [
      { key: keys.title, value: written(article.title) },
      ...optional(keys.description, written(article.description)),
      ...(article.date === '' ? [] : [{ key: keys.date, value: mapping.date(article.date) }]),
      ...(article.updated === null ? [] : optional(keys.updated, mapping.date(article.updated))),
      ...optional(keys.tags, tagList(constantTags, article.tags)),
      ...textEntry(authorAt, article.author === '' ? undefined : written(article.author)),
      ...textEntry(imageAt, imageOf(article.image)),
      ...entriesOf(others),
      ...Object.entries(article.extra).map(([key, value]) => ({ key, value: extraValue(value) })),
      ...entriesOf(mapping.pin(addressIn(siteUrl, article.url))),
      ...entriesOf(body.frontMatter),
    ];
    const stored = { ...article, body: body.text };
    const write = (digest: string, revision: string) => {
      const own = ownValues({ ...stored, revision }, incoming.kind, at, digest);
      // What Pressmark writes below no key of a generator's is its own form, which needs no second look.
      return newFrontMatter(unique([...entries, ...ownChanges({}, path, own)]), body.text, !isTop);
    };
    const { text, revision } =
      given === undefined
        ? sealedFirst(write)
        : { text: sealed(given, (digest) => write(digest, given)), revision: given };
    const file = listed === undefined ? {} : addressField(read(text, at));
    return { text, bytes: Buffer.from(text), article: { revision, ...stored }, ...file };
  }

  function amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    at: string,
    storedBody?: BodyKind,
  ): Amended {
    const file = read(previous, at);
    const { data, article } = file;
    const kind = storedBody ?? incomingOf(next).kind;
    const body =
      storedBody === undefined
        ? mapping.body(incomingOf(next), at)
        : { ...mapping.body(emptyBody(storedBody), at), text: next.body };
    const changes: FrontMatterChange[] = [
      ...changed(keys.title, article.title, next.title, written(next.title)),
      ...changed(keys.description, article.description, next.description, written(next.description)),
      ...changed(keys.date, article.date, next.date, next.date === '' ? undefined : mapping.date(next.date)),
      ...changed(keys.tags, article.tags, next.tags, tagList(siteTags(data), next.tags)),
      // A post that a person wrote stays that person's.
      ...(next.author === article.author || (article.id === at && !isTop)
        ? []
        : textEntry(authorAt, written(next.author), data)),
      ...(next.image === article.image ? [] : textEntry(imageAt, imageOf(next.image), data)),
      ...(next.image === null && article.image !== null ? optional(imageAt?.key ?? null, undefined) : []),
      // Without a date of its own, a generator may take the date of the update for that of the post.
      ...(data[keys.date] === undefined && !isTop && mapping.datesByName !== true
        ? []
        : optional(keys.updated, next.updated === null ? undefined : mapping.date(next.updated))),
      ...newExtra(stored.article.extra, next.extra),
      // What an update replaces may decide the address, as a title does.
      ...[
        ...(file.address?.kind === 'listed' ? entriesOf(mapping.pin(addressIn(siteUrl, article.url))) : []),
        ...entriesOf(body.frontMatter),
      ].filter(({ key, value }) => data[key] !== value),
    ];
    const inFile = readFrontMatter(previous).data;
    const names = spellings(inFile);
    const amended = { ...next, body: body.text };
    const text = sealed(next.revision, (digest) => {
      const own = ownChanges(inFile, path, ownValues(amended, kind, at, digest));
      const spelled = unique([...changes, ...own]).map(({ key, value }) => ({
        key: names.get(key) ?? key,
        value,
      }));
      return editFrontMatter(previous, spelled, body.text);
    });
    const after = read(text, at);
    return { text, article: { ...after.article, revision: next.revision }, ...addressField(after) };
  }

  function storedUrl(text: string, at: string): StoredUrl | undefined {
    const { data } = readFrontMatter(text);
    const itsUrl = textIn(ownOf(data, path), 'url');
    if (itsUrl === undefined) return undefined;
    const file: FileFacts = { path: at, data: withKnownKeys(data) };
    const ends = [...itsUrl.matchAll(/\//g)].map(({ index }) => itsUrl.slice(index));
    // From the longest on; those of `https://` are none.
    return { url: itsUrl, address: ends.slice(2).find((end) => mapping.isPinned(file, end)) };
  }

  function withStoredUrl(text: string, at: string, to: string): string {
    const { edited, digest, article } = decode(text, at);
    const { data } = readFrontMatter(text);
    const own = { ...(ownOf(data, path) as Record<string, FrontMatterValue>), url: written(to) };
    return edited || digest === undefined
      ? editFrontMatter(text, ownChanges(data, path, own))
      : sealed(article.revision, (seal) =>
          editFrontMatter(text, ownChanges(data, path, { ...own, digest: seal })),
        );
  }

  /** The tags of a file that an update keeps, as the site selects its posts by them. */
  function siteTags(data: FileFacts['data']): string[] {
    if (keys.tags === null) return [];
    const kept = new Set([...constantTags, ...keptTags].map(mapping.tagKey));
    return kept.size === 0 ? [] : looseList(data[keys.tags]).filter((tag) => kept.has(mapping.tagKey(tag)));
  }

  /** Tags of the site and tags of an article, each once. */
  function tagList(ofSite: readonly string[], ofArticle: readonly string[]): string[] {
    const taken = new Set(ofSite.map(mapping.tagKey));
    const others = taken.size === 0 ? ofArticle : ofArticle.filter((tag) => !taken.has(mapping.tagKey(tag)));
    return [...ofSite, ...others.map(written)];
  }

  function imageOf(image: string | null): string | undefined {
    return image === null ? undefined : mapping.image(image);
  }

  /** A text at its place. What else stands below its key stays. */
  function textEntry(
    at: KeyPath | undefined,
    text: string | undefined,
    data: FileFacts['data'] = {},
  ): FrontMatterChange[] {
    return at === undefined || text === undefined
      ? []
      : [{ key: at.key, value: at.write(text, data[at.key]) }];
  }

  function extraValue(value: unknown): FrontMatterValue | undefined {
    return isTop ? (value as FrontMatterValue) : withoutNull(value);
  }

  /** Keys that plugins set on an update and that the file has otherwise. */
  function newExtra(before: ExtraKeys, after: ExtraKeys): FrontMatterChange[] {
    return Object.entries(after)
      .filter(([key, value]) => !isDeepStrictEqual(before[key], value))
      .map(([key, value]) => ({ key, value: extraValue(value) }));
  }

  function ownValues(
    article: Article,
    kind: BodyKind,
    at: string,
    digest: string,
  ): Readonly<Record<string, FrontMatterValue>> {
    const { id, revision, author, keyword, image, slug, date, updated, jsonLd, contentHtml, body } = article;
    const values: Readonly<Record<string, FrontMatterValue>> = {
      ...(isTop && { slug }),
      id,
      revision,
      url: article.url,
      ...(date !== '' && !isTop && { published: date }),
      ...(updated !== null && !isTop && { updated }),
      ...(authorAt === undefined && { author }),
      keyword,
      ...(keys.description === null && { description: article.description }),
      ...(keys.tags === null && { tags: article.tags }),
      ...(imageAt === undefined && image !== null && { image }),
      ...(kind !== bodyKindOf({}, at) && !isTop && { body: kind }),
      digest,
      body_digest: digestOf(body),
      json_ld: jsonLd,
      content_html: contentHtml,
    };
    return mapping.writtenText === undefined ? values : mapped(values, written);
  }

  return {
    isOwnKey: (key) => (mapping.ignoresKeyCase ? foldedKeys.has(key.toLowerCase()) : ownKeys.has(key)),
    get key() {
      return `${url('slug', '2001-02-03T00:00:00Z')} ${listed?.version ?? ''}`;
    },
    hasCertainUrls: listed === undefined,
    isArticlePath: mapping.isArticlePath,
    pathFor: (pattern, draft) => pattern.replace(/\.\w+$/, mapping.extension(incomingOf(draft))),
    namesakes: (at) => (listed === undefined ? [] : namesakes(at)),
    slugOf: (at) => mapping.slug({ path: at, data: {} }),
    tagKey: listed === undefined || keys.tags === null ? undefined : mapping.tagKey,
    encode,
    decode,
    decodeForPages,
    amend,
    storedUrl,
    withStoredUrl,
  };
}

const EXTENSIONS = ['.md', '.markdown', '.mdown', '.mdx', '.html', '.htm'];

function namesakes(path: string): string[] {
  const stem = path.replace(/\.\w+$/, '');
  return [stem, `${stem}/index`]
    .flatMap((name) => EXTENSIONS.map((extension) => `${name}${extension}`))
    .filter((other) => other !== path);
}

/** A map with each text in it, or in a list in it, changed. */
function mapped<T>(map: Readonly<Record<string, T>>, change: (text: string) => string): Record<string, T> {
  const one = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    return Array.isArray(value) ? value.map(one) : value;
  };
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, one(value) as T]));
}

/** What came without Markdown has its HTML for a body. Markdown that came alone is rendered where its HTML is needed. */
function incomingOf({ body, contentHtml }: Pick<Article, 'body' | 'contentHtml'>): IncomingBody {
  if (body === contentHtml) return { kind: 'html', html: contentHtml };
  return {
    kind: 'markdown',
    markdown: body,
    get html() {
      return contentHtml === '' ? shownMarkdown(body, contentHtml) : contentHtml;
    },
  };
}

function emptyBody(kind: BodyKind): IncomingBody {
  return kind === 'html' ? { kind, html: '' } : { kind, markdown: '', html: '' };
}

function bodyKindOf(own: FileFacts['data'], path: string): BodyKind {
  if (own.body === 'html' || own.body === 'markdown') return own.body;
  return path.endsWith('.html') ? 'html' : 'markdown';
}

function kindOf({ bodyKind }: ReadFile): { bodyKind?: 'html' } {
  return bodyKind === 'html' ? { bodyKind } : {};
}

function addressField({ address }: ReadFile): { address?: Address } {
  return address === undefined ? {} : { address };
}

function isBodyEdited({ own, article }: ReadFile): boolean {
  return scalarOf(own.body_digest) !== digestOf(article.body);
}

function changed(
  key: string | null,
  before: unknown,
  after: unknown,
  value: FrontMatterValue | undefined,
): FrontMatterChange[] {
  return key === null || isDeepStrictEqual(before, after) ? [] : [{ key, value }];
}

function optional(key: string | null, value: FrontMatterValue | undefined): FrontMatterChange[] {
  return key === null ? [] : [{ key, value }];
}

function entriesOf(values: Readonly<Record<string, FrontMatterValue | undefined>>): FrontMatterChange[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

/** Plain data without null, for which TOML has no word; to generators a key without a value is not set. */
function withoutNull(value: unknown): FrontMatterValue | undefined {
  if (Array.isArray(value)) return value.map(withoutNull).filter((item) => item !== undefined);
  if (typeof value !== 'object') return value as FrontMatterValue | undefined;
  if (value === null) return undefined;
  const entries = Object.entries(value).flatMap(([key, child]): [string, FrontMatterValue][] => {
    const kept = withoutNull(child);
    return kept === undefined ? [] : [[key, kept]];
  });
  return Object.fromEntries(entries);
}

/** The last change of each key, at the place of the first. */
function unique(changes: readonly FrontMatterChange[]): FrontMatterChange[] {
  return [...new Map(changes.map((change) => [change.key, change])).values()];
}

/** A scalar as text; undefined for nothing, a list or a map, which a person may have written there. */
function scalarOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function looseList(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map(scalarOf).filter((item) => item !== undefined);
}

/** How a value reads that the mapping has made for a date. */
function valueText(value: FrontMatterValue): string | undefined {
  const isTimestamp = typeof value === 'object' && 'kind' in value && value.kind === 'timestamp';
  return isTimestamp && 'text' in value ? scalarOf(value.text) : scalarOf(value);
}
