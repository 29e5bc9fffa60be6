import { hash } from 'node:crypto';
import { namesOf } from '../../article/article.js';
import {
  type ArticleData,
  type ContractHeader,
  type Delivery,
  jsonIn,
  parseDelivery,
} from '../../contract/envelope.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { isMoment } from '../../contract/moment.js';
import { PressmarkError, quote } from '../../errors.js';
import type { IncomingArticle } from '../../host/http/adapter.js';

/** Decodes, parses and validates a verified body like `parseDelivery`, and normalises its title, author and tags. */
export function readDelivery(body: Uint8Array, contract: ContractHeader): Delivery {
  const delivery = parseDelivery(bufferOf(body), contract);
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return delivery;
  return { ...delivery, data: { ...delivery.data, ...namesOf(delivery.data) } } as Delivery;
}

/** The JSON in the verified body of another service. @throws PressmarkError BODY_INVALID. */
export function readJson(body: Uint8Array): unknown {
  return jsonIn(bufferOf(body));
}

/** Bytes from another thread are no longer a `Buffer`. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** An article from an adapter, in the form of a delivery. */
export interface ReadArticle {
  /** With title, author and tags normalised. */
  readonly data: ArticleData;
  /** A digest of the fields that an update replaces, as they were handed over. */
  readonly received: string;
}

/**
 * Validates an article from an adapter, and converts it to the `data` of a delivery.
 *
 * @param now the default date, ISO 8601.
 * @throws PressmarkError BODY_INVALID, BODY_TOO_LARGE.
 */
export function readIncoming(incoming: IncomingArticle, now: string): ReadArticle {
  const data = dataOf(incoming, now);
  return { data: { ...data, ...namesOf(data) }, received: digestOf(data, incoming) };
}

/** A digest of the fields that an update replaces: without the slug, and with the date only if there is a state. */
function digestOf(
  { slug: _slug, published_at: _date, source: _source, ...content }: ArticleData,
  { state, date, frontMatter }: IncomingArticle,
): string {
  const shown = state ? { state, date: date || null } : {};
  const further = frontMatter ? { frontMatter } : {};
  return `sha256-${hash('sha256', JSON.stringify({ ...content, ...shown, ...further }))}`;
}

/** The text fields of an article. An optional field that is null or empty counts as missing. */
const TEXTS = {
  id: 'required, not empty',
  title: 'required',
  contentHtml: 'required',
  markdown: 'optional',
  description: 'optional',
  slug: 'optional',
  author: 'optional',
  keyword: 'optional',
  image: 'optional',
  date: 'optional',
} as const;

function dataOf(incoming: IncomingArticle, now: string): ArticleData {
  const fault = faultIn(incoming);
  if (fault !== undefined)
    throw new PressmarkError('BODY_INVALID', `an article that was handed over ${fault}`);
  const { id, title, contentHtml, markdown, description, slug, tags, author, keyword, image, date, source } =
    incoming;
  const data = {
    id,
    title,
    slug: slug || title || id,
    content_html: contentHtml,
    content_markdown: markdown ?? '',
    meta_description: description ?? '',
    focus_keyword: keyword ?? '',
    featured_image_url: image || null,
    tags: [...(tags || [])],
    author: author ?? '',
    published_at: date || now,
    json_ld: '',
  };
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_BODY_BYTES)
    throw new PressmarkError(
      'BODY_TOO_LARGE',
      `article ${quote(id)} is over ${MAX_BODY_BYTES} bytes, the most that is stored`,
    );
  return { ...data, ...(source && { source }) };
}

/** The error in an article, as the end of a sentence. Plugins in JavaScript have no types that would show it. */
function faultIn(incoming: unknown): string | undefined {
  if (typeof incoming !== 'object' || incoming === null) return `is ${quote(incoming)} instead of an object`;
  const fields: Readonly<Record<string, unknown>> = { ...incoming };
  for (const [name, rule] of Object.entries(TEXTS)) {
    const value = fields[name];
    if (rule === 'optional' && (value === undefined || value === null)) continue;
    if (typeof value !== 'string')
      return `has ${value === undefined ? 'nothing' : quote(value)} as its ${name}; it must be a text`;
    if (rule === 'required, not empty' && value === '') return `has an empty ${name}`;
    if (!value.isWellFormed()) return `has a lone surrogate in its ${name}`;
  }
  const { contentHtml, markdown, tags, date, image, state } = fields;
  if (!contentHtml && !markdown) return 'has neither contentHtml nor markdown';
  if (state && state !== 'live' && state !== 'held')
    return `has the state ${quote(state)}; it may be live or held`;
  const isList = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && tag.isWellFormed());
  if (tags !== undefined && tags !== null && tags !== '' && !isList)
    return 'has tags that are not a list of texts';
  if (typeof date === 'string' && date !== '' && !isMoment(date))
    return `has the date ${quote(date)}, which is not ISO 8601 such as 2026-11-19T08:00:00Z`;
  if (typeof image === 'string' && image !== '' && !URL.canParse(image))
    return `has the image ${quote(image)}, which is not an absolute URL such as https://example.com/a.jpg`;
  for (const name of ['source', 'frontMatter']) {
    const value = fields[name];
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value)))
      return `has the ${name} ${quote(value)} instead of an object`;
  }
  return undefined;
}
