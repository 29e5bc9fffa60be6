import { randomUUID } from 'node:crypto';
import { itemComment } from '../../contract/item-comment.js';
import { CAPABILITIES } from '../../contract/limits.js';
import type { Service } from '../../contract/service.js';

export { itemComment };

/** A small article for trying a receiver out; what `given` says replaces the sample's own. */
export function sampleArticle(
  given: Readonly<Record<string, unknown>>,
  timestamp: string,
  service?: Service,
): Record<string, unknown> {
  const id = typeof given.id === 'string' ? given.id : randomUUID();
  const comment = itemComment(id, service);
  const title = typeof given.title === 'string' ? given.title : 'A first article';
  const jsonLd = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: title,
    datePublished: timestamp,
  };
  return {
    id,
    title,
    slug: title,
    content_html: `<p>This article was sent to try the receiver out. If you can read it on your site, everything works.</p>\n${comment}`,
    content_markdown: `This article was sent to try the receiver out. If you can read it on your site, everything works.\n\n${comment}\n`,
    meta_description: 'Sent to try the receiver out.',
    focus_keyword: '',
    featured_image_url: null,
    tags: ['trial'],
    author: 'Pressmark',
    published_at: timestamp,
    json_ld: `<script type="application/ld+json">${JSON.stringify(jsonLd).replaceAll('<', '\\u003c')}</script>`,
    ...given,
  };
}

/** The data of a `webhook.test`; what `given` says replaces the sample's own. */
export function sampleTest(given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { id: randomUUID(), message: 'A connection test', capabilities: CAPABILITIES, ...given };
}
