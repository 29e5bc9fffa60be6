import { hash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PressmarkError } from '../errors.js';
import { addressDigest } from './address-digest.js';
import type { Article, ExtraKeys } from './article.js';
import {
  type Address,
  digestOf,
  editRevision,
  type FirstFile,
  type ReadableArticle,
  renderedHtml,
  type StoredArticle,
} from './codec.js';
import type { Amended, ArticleFormat, BodyKind } from './format.js';
import { editFrontMatter, type FrontMatterChange, newFrontMatter } from './front-matter/edit.js';
import { readFrontMatter } from './front-matter/read.js';
import { type KeyPath, keyPath, topKeys } from './key-path.js';
import { spelledKey } from './key-spelling.js';
import { withLf } from './line-ends.js';
import type { ArticleMapping, FileFacts, FrontMatterValue, IncomingBody, ListedAddress } from './mapping.js';
import { isSlowMarkdown, renderMarkdown, unrenderedHtml } from './markdown.js';
import { type StoredUrl, withUrl } from './stored-url.js';

/** The key of Pressmark's own front matter in the files of a site that another generator builds. */
export const OWN_KEY = 'pressmark';

/** The addresses of files, as their generator has listed them. */
export interface ListedAddresses {
  get(path: string): ListedAddress | undefined;
  /** Another text after every change. */
  readonly version: string;
}

export interface MappedFormatOptions {
  readonly mapping: ArticleMapping;
  /** The site's public URL without a trailing slash. */
  readonly siteUrl: string;
  /** The URL that the site's patterns give. */
  readonly url: (slug: string, date: string) => string;
  readonly listed: ListedAddresses;
}

/** A file that was read: its article, and what the codec needs besides. */
interface ReadFile {
  readonly article: Omit<Article, 'revision'>;
  readonly own: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly address: Address | undefined;
  readonly bodyKind: BodyKind;
}

const NO_DIGEST = `sha256-${'0'.repeat(64)}`;

/**
 * The format of sites that another generator builds: the generator's own keys for what a page displays, and
 * Pressmark's below one key. The body is the single source of the page. Files that people wrote are articles, too.
 */
export function mappedFormat({ mapping, siteUrl, url, listed }: MappedFormatOptions): ArticleFormat {
  const { keys, constants, keptTags = [] } = mapping;
  const [pinKey] = Object.keys(mapping.pin('/address/'));
  const written = mapping.writtenText ?? ((text: string) => text);
  const sent = mapping.sentText ?? ((text: string) => text);
  const [imageAt, authorAt] = [keys.image, keys.author].map((path) =>
    path == null ? undefined : keyPath(path),
  );
  const mappedKeys = topKeys(keys);
  const ownKeys: ReadonlySet<string> = new Set([OWN_KEY, ...mappedKeys, ...mapping.reserved]);
  const constantTags = keys.tags === null ? [] : listOf(constants[keys.tags]);
  const constantTagKeys = new Set(constantTags.map(mapping.tagKey));

  function read(text: string, path: string): ReadFile {
    if (path.endsWith('.mdx'))
      throw new PressmarkError('FRONT_MATTER_UNSUPPORTED', 'an .mdx file is a program, and is not read');
    const { data: inFile, body } = readFrontMatter(text);
    const data = withKnownKeys(inFile);
    const file: FileFacts = { path, data };
    const own = mapped(mapOf(data[OWN_KEY]), sent);
    const field = (key: string | null, name: string) =>
      key === null ? scalarOf(own[name]) : sentScalar(data[key]);
    const slug = mapping.slug(file);
    const date = dateOf(data[keys.date], scalarOf(own.published)) ?? '';
    const { url: itsUrl, address } = addressOf(file, own, slug, date);
    const article = {
      id: scalarOf(own.id) ?? path,
      title: field(keys.title, 'title') ?? slug,
      description: field(keys.description, 'description') ?? '',
      date,
      updated: updatedOf(data, own),
      author:
        authorAt === undefined ? (scalarOf(own.author) ?? '') : sent(authorAt.read(data[authorAt.key]) ?? ''),
      tags: withoutConstants(tagsIn(data, own)),
      keyword: scalarOf(own.keyword) ?? '',
      image: imageAt === undefined ? (scalarOf(own.image) ?? null) : imageAt.read(data[imageAt.key]),
      slug,
      url: itsUrl,
      extra: Object.fromEntries(Object.entries(data).filter(([key]) => !ownKeys.has(key))),
      jsonLd: scalarOf(own.json_ld) ?? '',
      contentHtml: scalarOf(own.content_html) ?? '',
      body,
    };
    return { article, own, data, address, bodyKind: bodyKindOf(own, path) };
  }

  /** Keys of a file as they are written there, by the names that the mapping has for them. */
  function spellings(data: ReadFile['data']): ReadonlyMap<string, string> {
    const found = [...ownKeys].map((key) => [key, spelledKey(data, key, mapping)] as const);
    return new Map(found.filter(([key, name]) => name !== key));
  }

  function withKnownKeys(data: ReadFile['data']): ReadFile['data'] {
    const written = spellings(data);
    if (written.size === 0) return data;
    const known = new Map([...written].map(([key, name]) => [name, key]));
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [known.get(name) ?? name, value]));
  }

  function sentScalar(value: unknown): string | undefined {
    const text = scalarOf(value);
    return text === undefined ? undefined : sent(text);
  }

  function tagsIn(data: ReadFile['data'], own: ReadFile['own']): string[] {
    return keys.tags === null ? listOf(own.tags) : listOf(data[keys.tags]).map(sent);
  }

  /** Making the key of each tag takes long where there are many. */
  function withoutConstants(tags: string[]): string[] {
    return constantTagKeys.size === 0
      ? tags
      : tags.filter((tag) => !constantTagKeys.has(mapping.tagKey(tag)));
  }

  /** A date as it was sent where the file still holds that date; else as a person wrote it. */
  function dateOf(value: unknown, sent: string | undefined): string | undefined {
    const written = scalarOf(value);
    if (sent === undefined) return written;
    return written === undefined || written === textOf(mapping.date(sent)) ? sent : written;
  }

  function updatedOf(data: ReadFile['data'], own: ReadFile['own']): string | null {
    const sent = scalarOf(own.updated);
    return (keys.updated === null ? sent : dateOf(data[keys.updated], sent)) ?? null;
  }

  function addressOf(file: FileFacts, own: ReadFile['own'], slug: string, date: string) {
    const stored = scalarOf(own.url);
    const { reason, isFuture, url: certain } = certainUrl(file, stored);
    if (reason === undefined && certain !== undefined && certain === stored && isPinnedAt(file, certain))
      return { url: certain, address: undefined };
    if (reason === undefined && certain !== undefined)
      return { url: certain, address: { kind: 'listed' } as const };
    return {
      url: stored ?? pinnedUrl(file) ?? url(slug, date),
      address: {
        kind: 'unknown',
        reason: reason ?? 'has no listed URL',
        ...(isFuture && { isFuture }),
      } as const,
    };
  }

  /** The URL that a file of a person seems to pin: not certain before the generator has listed it, but not free either. */
  function pinnedUrl(file: FileFacts): string | undefined {
    const address = scalarOf(file.data[pinKey ?? '']);
    const isAddress = address?.startsWith('/') === true && mapping.isPinned(file, address);
    return isAddress ? `${siteUrl}${address}` : undefined;
  }

  function isPinnedAt(file: FileFacts, at: string): boolean {
    return mapping.isPinned(file, addressIn(at));
  }

  function certainUrl(
    file: FileFacts,
    stored: string | undefined,
  ): { readonly url?: string; readonly reason?: string; readonly isFuture?: true } {
    const hidden = mapping.hidden(file, new Date());
    if (hidden === 'draft') return { reason: 'is a draft' };
    if (hidden !== undefined) return { reason: 'has a date in the future', isFuture: true };
    if (stored !== undefined && isPinnedAt(file, stored)) return { url: stored };
    const found = listed.get(file.path);
    if (found !== undefined && found.digest === addressDigest(file, mapping))
      return { url: `${siteUrl}${found.address}` };
    if (stored === undefined) return {};
    return stored.startsWith(`${siteUrl}/`)
      ? { reason: `does not pin its address ${addressIn(stored)} any more` }
      : { reason: `was answered with a URL that is not below ${siteUrl}` };
  }

  function addressIn(at: string): string {
    return at.startsWith(`${siteUrl}/`) ? at.slice(siteUrl.length) : at;
  }

  function decodeForPages(text: string, path: string): ReadableArticle {
    const file = read(text, path);
    const { article, address } = file;
    const stored = { article, bodyEdited: isBodyEdited(file), ...kindOf(file) };
    return {
      article,
      html: () => renderedHtml(stored),
      isTopFirst: false,
      ...(address !== undefined && { address }),
    };
  }

  function decode(text: string, path: string): StoredArticle {
    const file = read(text, path);
    const { article, own, address } = file;
    const digest = scalarOf(own.digest);
    const edited = digest === undefined || digest !== digestIn(text, digest);
    const revision = (edited ? undefined : scalarOf(own.revision)) ?? editRevision(text);
    return {
      article: { revision, ...article },
      edited,
      bodyEdited: isBodyEdited(file),
      digest,
      ...kindOf(file),
      ...(address !== undefined && { address }),
    };
  }

  function encodeFirst(article: Omit<Article, 'revision'>, path: string): FirstFile {
    const body = mapping.body(incomingOf(article), path);
    const { [keys.tags ?? '']: _, ...others } = constants;
    const entries: FrontMatterChange[] = [
      { key: keys.title, value: written(article.title) },
      ...optional(keys.description, written(article.description)),
      { key: keys.date, value: mapping.date(article.date) },
      ...optional(keys.tags, tagList(constantTags, article.tags)),
      ...textEntry(authorAt, article.author === '' ? undefined : written(article.author)),
      ...textEntry(imageAt, imageOf(article.image)),
      ...entriesOf(others),
      ...Object.entries(article.extra).map(([key, value]) => ({ key, value: withoutNull(value) })),
      ...entriesOf(mapping.pin(addressIn(article.url))),
      ...entriesOf(body.frontMatter),
    ];
    const stored = { ...article, body: body.text };
    const kind = incomingOf(article).kind;
    const [revisionMark, digestMark] = [`rev-${randomBytes(12).toString('hex')}`, newDigestMark()];
    const value = ownValue({ ...stored, revision: revisionMark }, kind, path, digestMark);
    const draft = newFrontMatter([...unique(entries), { key: OWN_KEY, value }], body.text);
    // Written once, with marks that are as long as what replaces them: writing is what takes the time.
    const blank = draft.replace(digestMark, NO_DIGEST);
    const revision = `rev-${hash('sha256', withLf(blank.replace(revisionMark, ''))).slice(0, 24)}`;
    const digest = digestOf(blank.replace(revisionMark, revision));
    const text = draft.replace(revisionMark, revision).replace(digestMark, digest);
    const bytes = new TextEncoder().encode(text);
    const { address } = read(text, path);
    return { text, bytes, article: { revision, ...stored }, ...(address !== undefined && { address }) };
  }

  function amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    path: string,
    storedBody?: BodyKind,
  ): Amended {
    const file = read(previous, path);
    const { data, article } = file;
    const kind = storedBody ?? incomingOf(next).kind;
    const body =
      storedBody === undefined
        ? mapping.body(incomingOf(next), path)
        : { ...mapping.body(emptyBody(storedBody), path), text: next.body };
    const amended = { ...next, body: body.text, extra: article.extra };
    const changes: FrontMatterChange[] = [
      ...changed(keys.title, article.title, next.title, written(next.title)),
      ...changed(keys.description, article.description, next.description, written(next.description)),
      ...changed(keys.tags, article.tags, next.tags, tagList(siteTags(data), next.tags)),
      ...(next.author === article.author ? [] : textEntry(authorAt, written(next.author), data)),
      ...(next.image === article.image ? [] : textEntry(imageAt, imageOf(next.image), data)),
      // Without a date of its own, a generator may take the date of the update for that of the post.
      ...(next.updated === null || data[keys.date] === undefined
        ? []
        : optional(keys.updated, mapping.date(next.updated))),
      ...newExtra(stored.article.extra, next.extra),
      // What an update replaces may decide the address, as a title does.
      ...[
        ...(file.address?.kind === 'listed' ? entriesOf(mapping.pin(addressIn(article.url))) : []),
        ...entriesOf(body.frontMatter),
      ].filter(({ key, value }) => data[key] !== value),
    ];
    const names = spellings(readFrontMatter(previous).data);
    const inFile = ({ key, value }: FrontMatterChange) => ({ key: names.get(key) ?? key, value });
    const text = sealed((digest) =>
      editFrontMatter(
        previous,
        [...unique(changes).map(inFile), { key: OWN_KEY, value: ownValue(amended, kind, path, digest) }],
        body.text,
      ),
    );
    const { article: after, address } = read(text, path);
    const replaced = { ...after, revision: next.revision };
    return { text, article: replaced, ...(address !== undefined && { address }) };
  }

  function storedUrl(text: string, path: string): StoredUrl | undefined {
    const { data } = readFrontMatter(text);
    const url = sentUrl(data);
    if (url === undefined) return undefined;
    const file: FileFacts = { path, data: withKnownKeys(data) };
    const ends = [...url.matchAll(/\//g)].map(({ index }) => url.slice(index));
    // From the longest on; those of `https://` are none.
    return { url, address: ends.slice(2).find((end) => mapping.isPinned(file, end)) };
  }

  function sentUrl(data: ReadFile['data']): string | undefined {
    const url = scalarOf(mapOf(data[OWN_KEY]).url);
    return url === undefined ? undefined : sent(url);
  }

  function withStoredUrl(text: string, path: string, url: string): string {
    const { edited, digest } = decode(text, path);
    const moved = withUrl(text, written(url), (one) => {
      const { data, body } = readFrontMatter(one);
      const own = mapOf(data[OWN_KEY]);
      return { url: scalarOf(own.url), rest: { data: { ...data, [OWN_KEY]: { ...own, url: '' } }, body } };
    });
    return edited || digest === undefined ? moved : moved.replace(digest, digestIn(moved, digest));
  }

  /** The tags of a file that an update keeps, as the site selects its posts by them. */
  function siteTags(data: ReadFile['data']): string[] {
    if (keys.tags === null) return [];
    const kept = new Set([...constantTags, ...keptTags].map(mapping.tagKey));
    return listOf(data[keys.tags]).filter((tag) => kept.has(mapping.tagKey(tag)));
  }

  /** Tags of the site and tags of an article, each once. */
  function tagList(ofSite: readonly string[], ofArticle: readonly string[]): string[] {
    const taken = new Set(ofSite.map(mapping.tagKey));
    return [...ofSite, ...ofArticle.filter((tag) => !taken.has(mapping.tagKey(tag))).map(written)];
  }

  function imageOf(url: string | null): string | undefined {
    return url === null ? undefined : mapping.image(url);
  }

  /** A text at its place. What else stands below its key stays. */
  function textEntry(
    at: KeyPath | undefined,
    text: string | undefined,
    data: ReadFile['data'] = {},
  ): FrontMatterChange[] {
    return at === undefined || text === undefined
      ? []
      : [{ key: at.key, value: at.write(text, data[at.key]) }];
  }

  function ownValue(
    article: Article,
    kind: BodyKind,
    path: string,
    digest: string,
  ): Readonly<Record<string, FrontMatterValue>> {
    const { id, revision, author, keyword, image, jsonLd, contentHtml, body } = article;
    const values: Readonly<Record<string, FrontMatterValue>> = {
      id,
      revision,
      url: article.url,
      ...(article.date !== '' && { published: article.date }),
      ...(article.updated !== null && { updated: article.updated }),
      ...(authorAt === undefined && { author }),
      keyword,
      ...(keys.description === null && { description: article.description }),
      ...(keys.tags === null && { tags: article.tags }),
      ...(imageAt === undefined && image !== null && { image }),
      ...(kind !== bodyKindOf({}, path) && { body: kind }),
      digest,
      body_digest: digestOf(body),
      json_ld: jsonLd,
      content_html: contentHtml,
    };
    return mapped(values, written);
  }

  const foldedKeys = new Set([...ownKeys].map((key) => key.toLowerCase()));
  return {
    isOwnKey: (key) => (mapping.ignoresKeyCase ? foldedKeys.has(key.toLowerCase()) : ownKeys.has(key)),
    get key() {
      return `${url('slug', '2001-02-03T00:00:00Z')} ${listed.version}`;
    },
    hasCertainUrls: false,
    isArticlePath: mapping.isArticlePath,
    pathFor: (pattern, draft) => pattern.replace(/\.\w+$/, mapping.extension(incomingOf(draft))),
    namesakes,
    slugOf: (path) => mapping.slug({ path, data: {} }),
    tagKey: keys.tags === null ? undefined : mapping.tagKey,
    encodeFirst,
    decode,
    decodeForPages,
    decodeTop: () => undefined,
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

/** What came without Markdown has its HTML for a body; so has what takes too long to read as Markdown. */
function incomingOf({ body, contentHtml }: Pick<Article, 'body' | 'contentHtml'>): IncomingBody {
  if (body === contentHtml || body === '') return { kind: 'html', html: contentHtml };
  if (isSlowMarkdown(body)) return { kind: 'html', html: unrenderedHtml(body, contentHtml) };
  return { kind: 'markdown', markdown: body, html: contentHtml === '' ? renderMarkdown(body) : contentHtml };
}

function emptyBody(kind: BodyKind): IncomingBody {
  return kind === 'html' ? { kind, html: '' } : { kind, markdown: '', html: '' };
}

function bodyKindOf(own: ReadFile['own'], path: string): BodyKind {
  if (own.body === 'html' || own.body === 'markdown') return own.body;
  return path.endsWith('.html') ? 'html' : 'markdown';
}

function kindOf({ bodyKind }: ReadFile): { bodyKind?: 'html' } {
  return bodyKind === 'html' ? { bodyKind } : {};
}

function isBodyEdited({ own, article }: ReadFile): boolean {
  return scalarOf(own.body_digest) !== digestOf(article.body);
}

/** The digest of a file whose own digest is this one: of its text with zeros in the place of that digest. */
function digestIn(text: string, digest: string): string {
  return digestOf(text.replace(digest, NO_DIGEST));
}

function newDigestMark(): string {
  return `sha256-${randomBytes(32).toString('hex')}`;
}

/** A file's text with its digest in it. The mark stands for the digest only where `write` puts it. */
function sealed(write: (digest: string) => string): string {
  const mark = newDigestMark();
  const text = write(mark);
  return text.replace(mark, digestIn(text, mark));
}

function changed(
  key: string | null,
  before: unknown,
  after: unknown,
  value: FrontMatterValue,
): FrontMatterChange[] {
  return key === null || isDeepStrictEqual(before, after) ? [] : [{ key, value }];
}

function optional(key: string | null, value: FrontMatterValue): FrontMatterChange[] {
  return key === null ? [] : [{ key, value }];
}

function entriesOf(values: Readonly<Record<string, FrontMatterValue | undefined>>): FrontMatterChange[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

/** Keys that plugins set on an update and that the file has otherwise. */
function newExtra(before: ExtraKeys, after: ExtraKeys): FrontMatterChange[] {
  return Object.entries(after)
    .filter(([key, value]) => !isDeepStrictEqual(before[key], value))
    .map(([key, value]) => ({ key, value: withoutNull(value) }));
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

function listOf(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map(scalarOf).filter((item) => item !== undefined);
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap ? (value as Readonly<Record<string, unknown>>) : {};
}

/** How a value reads that the mapping has made for a date. */
function textOf(value: FrontMatterValue): string | undefined {
  const isTimestamp = typeof value === 'object' && 'kind' in value && value.kind === 'timestamp';
  return isTimestamp && 'text' in value ? scalarOf(value.text) : scalarOf(value);
}
