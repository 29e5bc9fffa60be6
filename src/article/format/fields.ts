import type { Article, ExtraKeys } from '../article.js';
import type { FrontMatterChange } from '../front-matter/edit.js';
import { shortened, termKey } from '../names.js';
import { mapOf } from '../plain-data.js';
import type { BodyKind } from '../stored-article.js';
import { gapAt, HIDDEN_ELEMENTS, textIn } from '../text/html-tokens.js';
import { shownMarkdown } from '../text/markdown.js';
import { type AddressOptions, addressIn } from './address.js';
import { bodyKindOf } from './decode.js';
import { digestOf } from './digest.js';
import { type KeyPath, keyPath } from './key-path.js';
import type { ArticleMapping, FileFacts, FrontMatterValue, IncomingBody, StoredBody } from './mapping.js';
import type { SiteKeys } from './site-keys.js';

type Values = Readonly<Record<string, FrontMatterValue | undefined>>;

/** Writes the fields of an article as front matter, in the keys of a site; see `articleFields`. */
export type ArticleFields = ReturnType<typeof articleFields>;

/** Creates functions that write an article's fields as front matter. A field without a key on the site is left out. */
export function articleFields({ mapping, siteUrl }: AddressOptions, siteKeys: SiteKeys) {
  const { path, image: imageAt, author: authorAt, constantTags, tagsIn } = siteKeys;
  const { keys, keptTags = [], limits = {} } = mapping;
  const isTop = path.length === 0;
  const written = (text: string, field?: 'description') => mapping.writtenText?.(text, field) ?? text;

  function title(article: Pick<Article, 'title'>): FrontMatterChange[] {
    return [{ key: keys.title, value: written(shortened(article.title, limits.title)) }];
  }

  function description(article: Pick<Article, 'description' | 'contentHtml'>): FrontMatterChange[] {
    const full = completed(article.description, article.contentHtml, limits.descriptionFrom ?? 0);
    return entry(keys.description, written(shortened(full, limits.description), 'description'));
  }

  function date(iso: string): FrontMatterChange[] {
    return entry(keys.date, iso === '' ? undefined : mapping.date(iso));
  }

  function updated(iso: string | null): FrontMatterChange[] {
    return entry(keys.updated, iso === null ? undefined : mapping.date(iso));
  }

  /** The site's tags and the article's, without duplicates. @param ofSite the tags by which the site selects posts. */
  function tags(ofArticle: readonly string[], ofSite: readonly string[]): FrontMatterChange[] {
    const taken = new Set(ofSite.map(mapping.tagKey));
    const others = taken.size === 0 ? ofArticle : ofArticle.filter((tag) => !taken.has(mapping.tagKey(tag)));
    return entry(keys.tags, [...ofSite, ...others.map((one) => written(one))].slice(0, limits.tags));
  }

  /** The tags of a file that an update keeps, because the site selects posts by them. */
  function tagsOfSite(data: FileFacts['data']): string[] {
    if (keys.tags === null) return [];
    const kept = new Set([...constantTags, ...keptTags].map(mapping.tagKey));
    return kept.size === 0 ? [] : tagsIn(data[keys.tags]).filter((tag) => kept.has(mapping.tagKey(tag)));
  }

  /** @param data the front matter of the file with the previous author. */
  function author(name: string, data?: FileFacts['data']): FrontMatterChange[] {
    return textAt(authorAt, written(name), data);
  }

  /** The image. One that the site cannot show leaves the previous one. */
  function image(url: string | null, data?: FileFacts['data']): FrontMatterChange[] {
    return url === null ? entry(imageAt?.key ?? null, undefined) : textAt(imageAt, mapping.image(url), data);
  }

  /** The site's categories that match tags of the article. */
  function categories(tags: readonly string[]): FrontMatterChange[] {
    if (keys.category == null) return [];
    const named = new Set(tags.map(termKey));
    const found = (mapping.categories ?? []).filter((category) => named.has(termKey(category)));
    const [first] = found;
    if (first === undefined) return [];
    const isList = keys.category.endsWith('[]');
    const at = keyPath(keys.category.replace(/\[\]$/, ''));
    return [{ key: at.key, value: at.write(isList ? found : first, mapOf(mapping.constants[at.key])) }];
  }

  /** The keys that plugins set, if the file has other values. */
  function extra(after: ExtraKeys, isNew: (key: string) => boolean = () => true): FrontMatterChange[] {
    const value = (one: unknown) => (isTop ? (one as FrontMatterValue) : withoutNull(one));
    return Object.entries(after).flatMap(([key, one]) => (isNew(key) ? [{ key, value: value(one) }] : []));
  }

  /** Pressmark's own front matter, without the file's digest. */
  function own(article: Article, kind: BodyKind, at: string): Values {
    const { id, revision, url, keyword, image: picture, slug, held, received, body } = article;
    const values: Record<string, FrontMatterValue> = {
      ...(isTop && { slug }),
      id,
      revision,
      url,
      ...(article.date !== '' && !isTop && { published: article.date }),
      ...(article.updated !== null && !isTop && { updated: article.updated }),
      ...(authorAt?.write(article.author) === undefined && { author: article.author }),
      keyword,
      ...(keys.description === null && { description: article.description }),
      ...(keys.tags === null && { tags: article.tags }),
      ...(imageAt === undefined && picture !== null && { image: picture }),
      ...(bodyKindOf({ body: kind }, at) !== bodyKindOf({}, at) && !isTop && { body: kind }),
      ...(held !== undefined && { held }),
      ...(received !== undefined && { received }),
      digest: '',
      body_digest: digestOf(body),
      json_ld: article.jsonLd,
      content_html: article.contentHtml,
    };
    return mapping.writtenText === undefined ? values : mapped(values, written);
  }

  return {
    written,
    title,
    description,
    date,
    updated,
    tags,
    tagsOfSite,
    author,
    image,
    categories,
    canonical: (url: string) => entry(keys.canonical ?? null, url),
    extra,
    /** The front matter that pins the address of a URL. */
    pin: (url: string) => mapping.pin(addressIn(siteUrl, url)),
    /** The front matter that holds an article, so that it has no page. */
    held: (reason: string | undefined) => (reason === undefined ? [] : entriesOf(mapping.held ?? {})),
    own,
  };
}

/** Puts a text at its key path. */
function textAt(
  at: KeyPath | undefined,
  text: string | undefined,
  data: FileFacts['data'] = {},
): FrontMatterChange[] {
  const value = text === undefined ? undefined : at?.write(text, data[at.key]);
  return at === undefined || value === undefined ? [] : [{ key: at.key, value }];
}

function entry(key: string | null, value: FrontMatterValue | undefined): FrontMatterChange[] {
  return key === null ? [] : [{ key, value }];
}

/** The entries of a map. */
export function entriesOf(values: Values): FrontMatterChange[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

/** The last change of each key, at the place of the first. */
export function lastOfEach(changes: readonly FrontMatterChange[]): FrontMatterChange[] {
  return [...new Map(changes.map((change) => [change.key, change])).values()];
}

/**
 * The body with its HTML. An article without Markdown has its HTML as body. Markdown that came alone is rendered when its HTML
 * is needed.
 */
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

/** The body of an article in its stored form. */
export interface BodyForm {
  readonly body: StoredBody;
  /** HTML also if the site cannot show the Markdown that was sent. */
  readonly kind: BodyKind;
  /** As sent; if only Markdown was sent and HTML is stored, that HTML. */
  readonly contentHtml: string;
}

/** Makes the stored form of an article's body, for a file at a path. */
export function bodyForm(
  mapping: Pick<ArticleMapping, 'body'>,
  article: Pick<Article, 'body' | 'contentHtml'>,
  at: string,
): BodyForm {
  const { contentHtml } = article;
  const incoming = incomingOf(article);
  const body = mapping.body(incoming, at);
  if (incoming.kind === 'html' || body.text === incoming.markdown)
    return { body, kind: incoming.kind, contentHtml };
  const { html } = incoming;
  return mapping.body({ kind: 'html', html }, at).text === body.text
    ? { body, kind: 'html', contentHtml: html }
    : { body, kind: 'markdown', contentHtml };
}

/** Changes each text in a map, including texts in lists. */
function mapped<T>(map: Readonly<Record<string, T>>, change: (text: string) => string): Record<string, T> {
  const one = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    return Array.isArray(value) ? value.map(one) : value;
  };
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, one(value) as T]));
}

/** Plain data without null, which TOML cannot express; to generators, a key without a value is not set. */
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

/** The length at which search engines cut a description, in characters. */
const USUAL_DESCRIPTION = 160;

/** Elements without a place in a description. */
const NOT_IN_DESCRIPTION = [...HIDDEN_ELEMENTS, 'pre'];

/** Completes a description from the article's text to a minimum length, if the text is long enough. */
function completed(description: string, html: string, least: number): string {
  if (description.length >= least) return description;
  const full = `${description} ${textIn(html, gapAt, NOT_IN_DESCRIPTION)}`.replace(/\s+/g, ' ').trim();
  return shortened(full, Math.max(USUAL_DESCRIPTION, least));
}
