import { hash, randomBytes } from 'node:crypto';
import { type Article, draftOf } from '../article/article.js';
import { isOfPerson } from '../article/own-revisions.js';
import type { ArticleData } from '../contract/envelope.js';
import { MAX_BODY_BYTES } from '../contract/limits.js';
import { isMoment } from '../contract/moment.js';
import { PressmarkError, quote } from '../errors.js';
import type { IncomingArticle, ReceivedArticle } from '../host/adapter.js';
import type { Surroundings } from './handler.js';
import { publishDraft } from './published.js';
import { filteredReplacement } from './updated.js';

/** How often other content is compared anew, where the article changes at the same moment. */
const MOST_ATTEMPTS = 5;

/** Stores what an adapter hands over; see `Articles.receive`. */
export type ReceiveArticle = (incoming: IncomingArticle) => Promise<ReceivedArticle>;

/**
 * Makes what stores the articles of other services. They go the way of a delivery: deduplicated by id, filtered, durable.
 *
 * The article's file has the digest of what was handed over last. The same again writes nothing, whatever has become of the
 * article. Other content for a known id is an update by compare-and-set upon the version that is stored, unless that is a
 * person's edit, which nothing replaces without having been made from it.
 */
export function createArticleReceiver(around: Surroundings): ReceiveArticle {
  const { store, hooks } = around;

  return async (incoming) => {
    const now = new Date().toISOString();
    const data = dataOf(incoming, now);
    const received = digestOf(data);
    const { id } = data;
    const { url, outcome, stored, after } = await publishDraft(
      id,
      () => ({ ...draftOf(data), received, ...(incoming.state === 'held' && { held: 'by its service' }) }),
      now,
      around,
    );
    later(after);
    if (outcome === 'deleted' || stored?.article.received === received) return { id, url, outcome };
    for (let attempt = 1; ; attempt++) {
      const found = await store.get(id);
      if (found === undefined)
        throw new PressmarkError(
          'ARTICLE_NOT_FOUND',
          `the file of article ${quote(id)} was just removed; send it again`,
        );
      if (found.article.received === received) return { id, url, outcome: 'known' };
      const { base } = incoming;
      // What is stored is what `base` names only where the adapter has seen it.
      if (found.edited || (isOfPerson(found.article.revision) && base !== found.article.revision))
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} was edited by a person; its new content was not stored`,
        );
      if (base && base !== found.article.revision)
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} is at ${quote(found.article.revision)}, and its new content was made from ${quote(base)}`,
        );
      try {
        await update(found.article, data, received, now);
        return { id, url, outcome: 'updated' };
      } catch (error) {
        const isStale = error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
        if (!isStale || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  };

  async function update(article: Article, data: ArticleData, received: string, now: string): Promise<void> {
    const { id: targetId, url: targetUrl, revision: base } = article;
    const target = { targetId, targetUrl, base, revision: `received-${randomBytes(12).toString('hex')}` };
    const { stored } = await store.update(target, async (current) => ({
      ...(await filteredReplacement({ ...data, published_at: now }, current, around)),
      received,
    }));
    if (stored === undefined) return;
    later(() =>
      hooks.doAction('article.updated', {
        event: 'article.updated',
        timestamp: now,
        ...around.changeOf(stored),
      }),
    );
  }
}

/** Runs the actions of an article when its adapter has had the time to answer. */
function later(actions: (() => Promise<void>) | undefined): void {
  if (actions !== undefined) setImmediate(() => void actions());
}

/** A digest of what an update replaces: neither the slug nor the date. */
function digestOf({ slug: _slug, published_at: _date, source: _source, ...content }: ArticleData): string {
  return `sha256-${hash('sha256', JSON.stringify(content))}`;
}

/** The fields of an article that hold a text. An optional one that is null or empty counts as missing. */
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
  base: 'optional',
} as const;

/** @throws PressmarkError BODY_INVALID, BODY_TOO_LARGE. */
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

/** What is wrong with an article, as the end of a sentence; plugins in JavaScript have no types that would say so. */
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
  const { contentHtml, markdown, tags, date, image, state, source } = fields;
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
  if (source !== undefined && source !== null && (typeof source !== 'object' || Array.isArray(source)))
    return `has the source ${quote(source)} instead of an object`;
  return undefined;
}
