import { hash } from 'node:crypto';
import { relative } from 'node:path';
import { closedHtml } from '../../article/text/closed-html.js';
import type { LookupTarget } from '../../contract/answers.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import type { ArticleData, UpdateData } from '../../contract/envelope.js';
import { itemComment, itemComments } from '../../contract/item-comment.js';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import type { Connector } from '../connectors.js';
import { type Envelope, envelopeBytes } from '../delivery/send-event.js';
import type { Draft } from './draft.js';
import { jsonLdOf } from './json-ld.js';
import { missingFence, parseMarkdown, renderTokens } from './markdown.js';

/**
 * The id of an article: the one in its file, otherwise one made from the file's path. It is the deduplication key and contains
 * the connector's key, so that files of the same name in two folders are two articles.
 *
 * @param dir the sender's folder.
 */
export function articleId(draft: Draft, connector: Connector, dir: string, path: string): string {
  if (draft.id !== undefined) return draft.id;
  const place = relative(dir, path).replaceAll('\\', '/');
  return `md-${hash('sha256', `${connector.key}\n${place}`).slice(0, 24)}`;
}

/**
 * `data` of `article.published` (contract: Article). The same draft, id and moment give the same data.
 *
 * @param timestamp of the envelope.
 */
export function composeArticle(
  draft: Draft,
  connector: Publisher,
  id: string,
  timestamp: string,
): ArticleData {
  return compose(draft, connector, {
    id,
    timestamp,
    item: id,
    comments: [itemComment(id, connector.service)],
    published: draft.date ?? timestamp,
    modified: undefined,
  });
}

/**
 * `data` of `article.updated` (contract: article.updated data). The article keeps its item comment.
 *
 * @param target the target in the answer to the lookup.
 * @param draftId unique to this refresh.
 * @param publishedAt the time at which the article was published from here, ISO 8601; undefined if it was not.
 */
export function composeUpdate(
  draft: Draft,
  connector: Connector,
  target: LookupTarget,
  draftId: string,
  timestamp: string,
  publishedAt?: string,
): UpdateData {
  // An article that another service published also keeps that service's comment.
  const own = `<!-- ${connector.service.comment}:item:`;
  const comments = [...new Set(itemComments(target.content_html))];
  const kept = comments.some((comment) => comment.startsWith(own))
    ? comments
    : [...comments, itemComment(target.id, connector.service)];
  return {
    ...compose(draft, connector, {
      id: draftId,
      timestamp,
      item: target.id,
      comments: kept,
      published: draft.date ?? publishedAt,
      modified: timestamp,
    }),
    target_id: target.id,
    target_url: canonicalUrl(target.url) ?? target.url,
    base_revision_id: target.revision_id,
    revision_id: draftId,
  };
}

/** The connector's settings for its articles. */
type Publisher = Pick<Connector, 'author' | 'application' | 'tracking' | 'service'>;

interface Setting {
  readonly id: string;
  readonly timestamp: string;
  /** The article's own id, which counts its views. */
  readonly item: string;
  readonly comments: readonly string[];
  readonly published: string | undefined;
  readonly modified: string | undefined;
}

function compose(draft: Draft, connector: Publisher, setting: Setting): ArticleData {
  const { title, description, image, tags } = draft;
  const { id, timestamp, item, comments, published, modified } = setting;
  // Byline (contract: author): the file's, otherwise the connector's, otherwise the application's name.
  const author = draft.author || connector.author || connector.application;
  const tokens = parseMarkdown(draft.markdown);
  const html = renderTokens(tokens);
  // An open comment or tag at the end would swallow the text after it.
  const closed = closedHtml(html);
  const closing = closed.startsWith(html) ? closed.slice(html.length) : '';
  const text = `${draft.markdown}${missingFence(tokens)}${closing}`;
  const end = (
    connector.tracking === null
      ? comments.filter((comment) => !(text.endsWith(comment) && endsWith(closed, comment)))
      : [trackingImage(connector.tracking, item), ...comments]
  ).join('\n');
  const { application } = connector;
  return {
    id,
    title,
    slug: draft.slug || id,
    content_html: `${closed.trimEnd()}\n${end}`.trimEnd(),
    content_markdown: `${text}\n\n${end}`.trimEnd(),
    meta_description: description,
    focus_keyword: draft.keyword,
    featured_image_url: image,
    tags: [...tags],
    author,
    published_at: timestamp,
    json_ld: jsonLdOf({ title, description, image, author, application, tags, published, modified, tokens }),
  };
}

/** Whether HTML ends with this comment, as opposed to the same text inside another one. */
function endsWith(html: string, comment: string): boolean {
  const before = html.trimEnd().slice(0, -comment.length);
  return html.trimEnd() === before + comment && closedHtml(before) === before;
}

/** An invisible picture whose address contains the article's id. */
function trackingImage(address: string, id: string): string {
  const url = new URL(address);
  url.searchParams.set('item', id);
  return `<img src="${url.href.replaceAll('&', '&amp;')}" alt="" width="1" height="1">`;
}

/** Why a request is not sent: receivers may refuse a larger one (contract: Errors, 413). */
export function whyTooLarge(envelope: Envelope): string | undefined {
  const bytes = envelopeBytes(envelope).length;
  return bytes > MAX_BODY_BYTES
    ? `the article takes ${bytes} bytes as a request; receivers take ${MAX_BODY_BYTES}`
    : undefined;
}
