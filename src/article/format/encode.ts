import { isDeepStrictEqual } from 'node:util';
import type { Article, ExtraKeys } from '../article.js';
import { editFrontMatter, type FrontMatterChange, newFrontMatter } from '../front-matter/edit.js';
import { readFrontMatter } from '../front-matter/read.js';
import { textIn } from '../html-tokens.js';
import type { FileFacts, FrontMatterValue, IncomingBody } from '../mapping.js';
import { shownMarkdown } from '../markdown.js';
import { shortened, termKey } from '../names.js';
import { EXPIRY_KEY, type Publication } from '../publication.js';
import type { Address, BodyKind, StoredArticle } from '../stored-article.js';
import { type AddressOptions, addressIn } from './address.js';
import { type ArticleDecoder, addressField, bodyKindOf } from './decode.js';
import { digestOf, sealed, sealedFirst } from './digest.js';
import { type KeyPath, keyPath } from './key-path.js';
import { looseList, ownChanges, ownOf, type SiteKeys } from './site-keys.js';

/** An article that is to be stored, with or without its revision. */
export type NewArticle = Omit<Article, 'revision'> & Partial<Pick<Article, 'revision'>>;

/** A file that replaces another, and the article that it holds. */
export interface Amended {
  readonly text: string;
  readonly article: Article;
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
  /** When the article has a page. */
  readonly publication: Publication;
}

/** A new article's file. */
export interface EncodedFile extends Amended {
  /** The text in UTF-8. */
  readonly bytes: Uint8Array;
}

/** What decides whether an article has a page. */
export interface StateChange {
  /** Why it is held; undefined where it is not. */
  readonly held: string | undefined;
  /** Another date, ISO 8601; undefined leaves it. */
  readonly date?: string | undefined;
  /** When it expires, ISO 8601; null for never, undefined leaves it. */
  readonly expires?: string | null | undefined;
}

/** Writes the article files of a site. */
export interface ArticleEncoder {
  /** The file of a new article. Without a revision, it is made from everything else that stands in the file. */
  encode(article: NewArticle, path: string): EncodedFile;
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
   * The file that shows or hides its article. A pristine file stays pristine and gets the revision; an edited one stays edited.
   *
   * @throws PressmarkError ARTICLE_UNREADABLE where the front matter cannot be rewritten without loss.
   */
  inState(text: string, path: string, change: StateChange, revision: string): Amended;
  /**
   * A file with another stored URL. A pristine file stays pristine and keeps its revision; an edited one stays edited.
   *
   * @throws PressmarkError ARTICLE_UNREADABLE where the file cannot be rewritten without loss.
   */
  withStoredUrl(text: string, path: string, url: string): string;
}

/** The writing half of `articleFormat`. */
export function articleEncoder(
  { mapping, siteUrl, listed }: AddressOptions,
  siteKeys: SiteKeys,
  decoder: ArticleDecoder,
): ArticleEncoder {
  const { path, image: imageAt, author: authorAt, constantTags, spellings } = siteKeys;
  const { keys, constants, keptTags = [], limits = {} } = mapping;
  const isTop = path.length === 0;
  const written = (text: string, field?: 'description') => mapping.writtenText?.(text, field) ?? text;
  const writtenTitle = (title: string) => written(shortened(title, limits.title));
  const writtenDescription = ({ description, contentHtml }: Pick<Article, 'description' | 'contentHtml'>) => {
    const full = completed(description, contentHtml, limits.descriptionFrom ?? 0);
    return written(shortened(full, limits.description), 'description');
  };

  function encode({ revision: given, ...article }: NewArticle, at: string): EncodedFile {
    const incoming = incomingOf(article);
    const body = mapping.body(incoming, at);
    const { [keys.tags ?? '']: _, ...others } = constants;
    // Where these are not known, the constant of the key holds.
    const known = [
      ...textEntry(authorAt, article.author === '' ? undefined : written(article.author)),
      ...categories(article.tags),
      ...optional(keys.canonical ?? null, article.url),
    ];
    const entries: FrontMatterChange[] = [
      { key: keys.title, value: writtenTitle(article.title) },
      ...optional(keys.description, writtenDescription(article)),
      ...(article.date === '' ? [] : [{ key: keys.date, value: mapping.date(article.date) }]),
      ...(article.updated === null ? [] : optional(keys.updated, mapping.date(article.updated))),
      ...optional(keys.tags, tagList(constantTags, article.tags)),
      ...known,
      ...textEntry(imageAt, imageOf(article.image)),
      ...entriesOf(others).filter(({ key }) => known.every((one) => one.key !== key)),
      ...Object.entries(article.extra).map(([key, value]) => ({ key, value: extraValue(value) })),
      ...entriesOf(mapping.pin(addressIn(siteUrl, article.url))),
      ...entriesOf(body.frontMatter),
      ...heldEntries(article),
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
    const encoded = { text, bytes: Buffer.from(text), article: { revision, ...stored } };
    if (listed === undefined) {
      const { held } = article;
      const data = { ...article.extra, [keys.date]: article.date, ...(held !== undefined && { held }) };
      return { ...encoded, publication: mapping.publication({ path: at, data }) };
    }
    const file = decoder.read(text, at);
    return { ...encoded, publication: file.publication, ...addressField(file) };
  }

  function amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    at: string,
    storedBody?: BodyKind,
  ): Amended {
    const file = decoder.read(previous, at);
    const { data, article } = file;
    const kind = storedBody ?? incomingOf(next).kind;
    const body =
      storedBody === undefined
        ? mapping.body(incomingOf(next), at)
        : { ...mapping.body(emptyBody(storedBody), at), text: next.body };
    const changes: FrontMatterChange[] = [
      ...changed(keys.title, article.title, next.title, writtenTitle(next.title)),
      ...changed(keys.description, article.description, next.description, writtenDescription(next)),
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
      ...heldEntries(next),
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
    const after = decoder.read(text, at);
    const { publication } = after;
    return {
      text,
      article: { ...after.article, revision: next.revision },
      publication,
      ...addressField(after),
    };
  }

  function heldEntries({ held }: Pick<Article, 'held'>): FrontMatterChange[] {
    return held === undefined ? [] : entriesOf(mapping.held ?? {});
  }

  function inState(text: string, at: string, change: StateChange, revision: string): Amended {
    const { data } = readFrontMatter(text);
    const { edited, digest, article, address } = decoder.decode(text, at);
    const { held, date, expires } = change;
    const heldKeys = Object.keys(mapping.held ?? {});
    const released = { ...Object.fromEntries(heldKeys.map((key) => [key, constants[key]])) };
    const pinned = mapping.pin(addressIn(siteUrl, article.url));
    const changes: FrontMatterChange[] = [
      ...(date === undefined ? [] : [{ key: keys.date, value: mapping.date(date) }]),
      ...(expires === undefined
        ? []
        : [{ key: EXPIRY_KEY, value: expires === null ? undefined : mapping.date(expires) }]),
      ...(held === undefined && article.held === undefined
        ? []
        : held === undefined
          ? entriesOf({ ...released, ...pick(pinned, heldKeys) })
          : heldEntries({ held })),
    ];
    const names = spellings(data);
    const write = (sealing: Readonly<Record<string, FrontMatterValue>>) => {
      const own: Readonly<Record<string, FrontMatterValue | undefined>> = {
        ...(isTop ? {} : (ownOf(data, path) as Record<string, FrontMatterValue>)),
        // Nothing else says where it is while it has no page.
        ...(held !== undefined && !isTop && address?.kind !== 'unknown' && { url: written(article.url) }),
        ...(date !== undefined && !isTop && { published: date }),
        held: held === undefined ? undefined : written(held),
        ...sealing,
      };
      const spelled = [...changes, ...ownChanges(data, path, own)].map(({ key, value }) => ({
        key: names.get(key) ?? key,
        value,
      }));
      return editFrontMatter(text, unique(spelled));
    };
    const after =
      edited || digest === undefined
        ? write({})
        : sealed(revision, (seal) => write({ digest: seal, revision }));
    const stored = decoder.decode(after, at);
    const { publication, address: itsAddress } = stored;
    return {
      text: after,
      article: stored.article,
      publication,
      ...(itsAddress !== undefined && { address: itsAddress }),
    };
  }

  function withStoredUrl(text: string, at: string, to: string): string {
    const { edited, digest, article } = decoder.decode(text, at);
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
    return [...ofSite, ...others.map((one) => written(one))].slice(0, limits.tags);
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
    const value = text === undefined ? undefined : at?.write(text, data[at.key]);
    return at === undefined || value === undefined ? [] : [{ key: at.key, value }];
  }

  /** The categories of the site that the tags of an article name. */
  function categories(tags: readonly string[]): FrontMatterChange[] {
    if (keys.category == null) return [];
    const named = new Set(tags.map(termKey));
    const found = (mapping.categories ?? []).filter((category) => named.has(termKey(category)));
    const [first] = found;
    if (first === undefined) return [];
    const isList = keys.category.endsWith('[]');
    return [{ key: keyPath(keys.category).key, value: isList ? found : first }];
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
      ...(authorAt?.write(author) === undefined && { author }),
      keyword,
      ...(keys.description === null && { description: article.description }),
      ...(keys.tags === null && { tags: article.tags }),
      ...(imageAt === undefined && image !== null && { image }),
      ...(bodyKindOf({ body: kind }, at) !== bodyKindOf({}, at) && !isTop && { body: kind }),
      ...(article.held !== undefined && { held: article.held }),
      ...(article.received !== undefined && { received: article.received }),
      digest,
      body_digest: digestOf(body),
      json_ld: jsonLd,
      content_html: contentHtml,
    };
    return mapping.writtenText === undefined ? values : mapped(values, written);
  }

  return { encode, amend, inState, withStoredUrl };
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
export function incomingOf({ body, contentHtml }: Pick<Article, 'body' | 'contentHtml'>): IncomingBody {
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

function changed(
  key: string | null,
  before: unknown,
  after: unknown,
  value: FrontMatterValue | undefined,
): FrontMatterChange[] {
  return key === null || isDeepStrictEqual(before, after) ? [] : [{ key, value }];
}

function pick<T>(map: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key)));
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

/** As long as search engines show a description. */
const USUAL_DESCRIPTION = 160;

/** A description that is at least so long, if the article's text is. */
function completed(description: string, html: string, least: number): string {
  if (description.length >= least) return description;
  const full = `${description} ${textIn(html, () => ' ')}`.replace(/\s+/g, ' ').trim();
  return shortened(full, Math.max(USUAL_DESCRIPTION, least));
}
