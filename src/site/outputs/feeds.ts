import { randomBytes } from 'node:crypto';
import { escapeText } from 'entities';
import { Feed, type Item } from 'feed';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { FeedItem, SiteInfo } from '../../host/pages/page-types.js';
import { type Post, summaryOf } from '../index/article-entry.js';
import type { Articles } from '../index/articles.js';
import { dateOf } from '../index/dates.js';
import { cacheKey, type Planner } from './planner.js';

/** The number of articles in a feed. */
const FEED_SIZE = 20;

/** The site's feeds, with the functions that make them. The same articles always make the same bytes. */
const FEEDS: ReadonlyMap<string, (site: SiteInfo, items: readonly FeedItem[]) => string> = new Map([
  ['feed.xml', atomFeed],
  ['rss.xml', rssFeed],
  ['feed.json', jsonFeed],
]);

/** Plans the feeds of the newest articles: Atom, RSS and JSON Feed. */
export function feeds(
  site: SiteInfo,
  { textAt, isBroken }: Pick<Articles, 'textAt' | 'isBroken'>,
  hooks: Hooks,
): Planner {
  /** Makes the items of posts; undefined if a file has changed since, as another build follows for that change. */
  function itemsOf(posts: readonly Post[]): FeedItem[] | undefined {
    const items = posts.flatMap((post) => {
      const text = textAt(post);
      return text === undefined ? [] : [{ ...summaryOf(post), html: text.html }];
    });
    return items.length === posts.length ? items : undefined;
  }

  return ({ index, renderer }) => {
    const newest = index.posts.slice(-FEED_SIZE).reverse();
    // An item has the whole text, which only the file has.
    const posts = newest.filter(({ path }) => !isBroken(path));
    const key = cacheKey(renderer.key, ...posts.map(index.keyOf));
    return [...FEEDS].map(([path, write]) => ({
      path,
      key,
      render: async (onFailure) => {
        const items = itemsOf(posts);
        const info = { kind: 'feed', path: `/${path}` } as const;
        return items && write(site, await hooks.applyFilters('feed.items', items, info, onFailure));
      },
    }));
  };
}

// The feed package does not escape `<` in attributes, so this replaces it until the package is done.
const LESS_THAN = `lt${randomBytes(12).toString('hex')}`;

/** File names from which the feed package recognises the type of an image. */
const IMAGE_NAME = /\.(?:png|jpeg|gif|webp|avif)$/i;

// Texts are escaped in fields where readers expect HTML.

/** Makes an Atom feed (RFC 4287). */
function atomFeed(site: SiteInfo, items: readonly FeedItem[]): string {
  const feed = feedOf(site, items, (item, changed) => ({
    ...itemOf(item, changed),
    title: escapeText(item.title),
    ...(item.description !== '' && { description: escapeText(item.description) }),
    category: item.tags.map((tag) => ({ name: attribute(tag), term: attribute(tag) })),
    ...(item.image !== null && IMAGE_NAME.test(new URL(item.image).pathname) && { image: item.image }),
  }));
  const xml = feed.atom1().replaceAll(LESS_THAN, '&lt;');
  return wellFormed(xml.replace('<feed ', `<feed xml:lang="${site.language}" `));
}

/** Makes an RSS 2.0 feed. As `author` must be an e-mail address, the name is in Dublin Core's `creator`. */
function rssFeed(site: SiteInfo, items: readonly FeedItem[]): string {
  const feed = feedOf(site, items, (item, changed) => ({
    ...itemOf(item, changed),
    title: item.title.replaceAll(']]>', ']] >'),
    ...(item.description !== '' && { description: escapeText(item.description) }),
    author: [],
    // The package declares the namespace `dc` only together with `content`.
    ...(item.author !== '' &&
      item.html !== '' && { extensions: [{ name: 'dc:creator', objects: { _text: item.author } }] }),
  }));
  return wellFormed(feed.rss2());
}

/** Makes a JSON Feed, whose texts are plain. */
function jsonFeed(site: SiteInfo, items: readonly FeedItem[]): string {
  const feed = feedOf(site, items, (item, changed) => ({
    ...itemOf(item, changed),
    id: item.url,
    content: item.html,
    ...(item.image !== null && { image: item.image }),
  }));
  // Replaces lone surrogates, which JSON allows but few readers accept.
  const whole = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);
  return `${JSON.stringify(JSON.parse(feed.json1(), whole), null, 2)}\n`;
}

function feedOf(
  site: SiteInfo,
  items: readonly FeedItem[],
  toItem: (item: FeedItem, changed: Date) => Item,
): Feed {
  const feed = new Feed({
    id: `${site.url}/`,
    title: site.title,
    description: site.description || site.title,
    link: `${site.url}/`,
    feedLinks: { atom: `${site.url}/feed.xml`, rss: `${site.url}/rss.xml`, json: `${site.url}/feed.json` },
    generator: 'Pressmark',
    language: site.language,
    author: { name: site.author || site.title },
    updated: new Date(Math.max(0, ...items.map((item) => lastChange(item)?.getTime() ?? 0))),
  });
  for (const item of items) {
    const changed = lastChange(item);
    if (changed !== undefined) feed.addItem(toItem(item, changed)); // Atom requires a date
  }
  return feed;
}

function itemOf(item: FeedItem, changed: Date): Item {
  return {
    title: item.title,
    link: item.url,
    date: changed,
    published: dateOf(item.date) ?? changed,
    ...(item.description !== '' && { description: item.description }),
    content: item.html.replaceAll(']]>', ']]&gt;'), // the package escapes only the first one
    ...(item.author !== '' && { author: [{ name: item.author }] }),
    category: item.tags.map((tag) => ({ name: tag })),
  };
}

function lastChange(item: FeedItem): Date | undefined {
  return dateOf(item.updated ?? item.date) ?? dateOf(item.date);
}

function attribute(text: string): string {
  return text.replaceAll('<', LESS_THAN);
}

/** Removes the characters that XML does not allow. */
function wellFormed(xml: string): string {
  return xml.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}
