import { randomBytes } from 'node:crypto';
import { Feed } from 'feed';
import type { FeedItem, SiteInfo } from '../host/page-types.js';
import { momentOf } from './moments.js';

/** Articles in the feed. */
export const FEED_SIZE = 20;

// The feed package writes attributes without escaping `<`; this stands for one until it has.
const LESS_THAN = `lt${randomBytes(12).toString('hex')}`;

/** Images whose type the feed package tells rightly from the file's name. */
const IMAGE_NAME = /\.(?:png|jpeg|gif|webp|avif)$/i;

const LONG_AGO = new Date(0);

/** The Atom feed of the site's newest articles. The same articles always make the same bytes. */
export function atomFeed(site: SiteInfo, items: readonly FeedItem[]): string {
  const feed = new Feed({
    id: `${site.url}/`,
    title: site.title,
    ...(site.description !== '' && { description: site.description }),
    link: `${site.url}/`,
    feed: `${site.url}/feed.xml`,
    generator: 'Pressmark',
    author: { name: site.author || site.title },
    updated: new Date(Math.max(0, ...items.map((item) => lastChange(item).getTime()))),
  });
  for (const item of items) {
    feed.addItem({
      title: escapeHtml(item.title),
      link: item.url,
      date: lastChange(item),
      published: momentOf(item.date) ?? LONG_AGO,
      ...(item.description !== '' && { description: escapeHtml(item.description) }),
      content: item.html.replaceAll(']]>', ']]&gt;'), // the package splits only the first
      author: item.author === '' ? [] : [{ name: item.author }],
      category: item.tags.map((tag) => ({ name: attribute(tag), term: attribute(tag) })),
      ...(item.image !== null && IMAGE_NAME.test(new URL(item.image).pathname) && { image: item.image }),
    });
  }
  return wellFormed(feed.atom1().replaceAll(LESS_THAN, '&lt;'));
}

function lastChange(item: FeedItem): Date {
  return momentOf(item.updated ?? item.date) ?? momentOf(item.date) ?? LONG_AGO;
}

function attribute(text: string): string {
  return text.replaceAll('<', LESS_THAN);
}

/** Titles and summaries are of the type `html` in the feed; what is meant as text must be escaped once more. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Without the characters that no XML may hold. */
function wellFormed(xml: string): string {
  return xml.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}
