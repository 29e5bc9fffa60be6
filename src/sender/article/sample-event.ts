import { randomUUID } from 'node:crypto';
import type { ArticleData } from '../../contract/envelope.js';
import { itemComment } from '../../contract/item-comment.js';
import { CAPABILITIES } from '../../contract/limits.js';
import type { Service } from '../../contract/service.js';
import { jsonLdOf } from './json-ld.js';

/** A small article for trying out a receiver; `given` overrides the sample's fields. */
export function sampleArticle(
  given: Readonly<Record<string, unknown>>,
  timestamp: string,
  service?: Service,
): ArticleData & Record<string, unknown> {
  const id = typeof given.id === 'string' ? given.id : randomUUID();
  const comment = itemComment(id, service);
  const title = typeof given.title === 'string' ? given.title : 'A first article';
  const words =
    'This article was sent to try the receiver out. If you can read it on your site, everything works.';
  const [description, author, tags] = ['Sent to try the receiver out.', 'Pressmark', ['trial']];
  const facts = { title, description, author, tags, application: author, published: timestamp };
  return {
    id,
    title,
    slug: title,
    content_html: `<p>${words}</p>\n${comment}`,
    content_markdown: `${words}\n\n${comment}\n`,
    meta_description: description,
    focus_keyword: '',
    featured_image_url: null,
    tags,
    author,
    published_at: timestamp,
    json_ld: jsonLdOf({ ...facts, image: null, modified: undefined, tokens: [] }),
    ...given,
  };
}

/** The data of a `webhook.test`; `given` overrides the sample's fields. */
export function sampleTest(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { id: randomUUID(), message: 'A connection test', capabilities: CAPABILITIES, ...given };
}
