import { Readable, type Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { percentEncoded } from '../../article/address/files-of-address.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { SiteInfo, SitemapItem } from '../../host/pages/page-types.js';
import { fileAt } from '../index/addresses.js';
import { summaryOf } from '../index/article-entry.js';
import { addressOfPage } from '../index/owner-texts.js';
import { cacheKey, type Planned, type Planner, type Sources } from './planner.js';

/** Addresses in one file; the protocol allows 50,000. */
const MOST_ADDRESSES = 45_000;

const SITEMAP = 'sitemap.xml';

/**
 * The sitemap: one file, or for a large site an index and its parts.
 *
 * @param isReserved whether a file is one of the site's own: a page of the owner's there is not shown.
 */
export function sitemap(
  site: SiteInfo,
  hooks: Hooks,
  isReserved: (file: string) => boolean,
  most = MOST_ADDRESSES,
): Planner {
  /** The paths of the owner's pages, without those that an article or a page of the site has replaced. */
  function pagesIn({ index }: Sources): string[] {
    const paths = [...index.texts.keys()].flatMap((path) => addressOfPage(path) ?? []).sort();
    return paths.filter((path) => {
      const file = fileAt(path);
      return index.at(file) === undefined && !isReserved(file);
    });
  }

  function itemsOf(pages: readonly string[], { index }: Sources): SitemapItem[] {
    const own = ['/', ...pages].map((path) => ({
      url: `${site.url}${percentEncoded(path)}`,
      article: null,
    }));
    const posts = index.posts.map((post) => ({
      url: post.url,
      ...lastmodOf(post.modified),
      article: summaryOf(post),
    }));
    return [...own, ...posts];
  }

  return (sources): Planned[] => {
    const pages = pagesIn(sources);
    const key = cacheKey(sources.renderer.key, sources.index.key(), ...pages);
    const count = Math.ceil((1 + pages.length + sources.index.posts.length) / most);
    const planned = (path: string, from: number): Planned => ({
      path,
      key,
      render: async (onFailure) => {
        const items = itemsOf(pages, sources).slice(from, from + most);
        const info = { kind: 'sitemap', path: `/${path}` } as const;
        const shown = await hooks.applyFilters('sitemap.items', items, info, onFailure);
        // Of what else a plugin has added the library throws where nothing catches it.
        return urlset(shown.map(({ url, lastmod }) => ({ url, ...(lastmod !== undefined && { lastmod }) })));
      },
    });
    if (count === 1) return [planned(SITEMAP, 0)];
    const parts = Array.from({ length: count }, (_, part) => planned(`sitemap-${part + 1}.xml`, part * most));
    const urls = parts.map(({ path }) => ({ url: `${site.url}/${path}` }));
    const index = cacheKey(sources.renderer.key, String(count));
    return [{ path: SITEMAP, key: index, render: () => sitemapIndex(urls) }, ...parts];
  };
}

// The library is loaded by what writes a sitemap: no article's page waits for it, and no start of a site that is built.

async function urlset(addresses: readonly Omit<SitemapItem, 'article'>[]): Promise<string> {
  const { ErrorLevel, SitemapStream } = await import('sitemap');
  const xmlns = { news: false, xhtml: false, image: false, video: false };
  return xmlOf(new SitemapStream({ xmlns, level: ErrorLevel.SILENT }), addresses);
}

async function sitemapIndex(parts: readonly Omit<SitemapItem, 'article'>[]): Promise<string> {
  const { ErrorLevel, SitemapIndexStream } = await import('sitemap');
  return xmlOf(new SitemapIndexStream({ level: ErrorLevel.SILENT }), parts);
}

function lastmodOf(modified: number | null): { lastmod?: string } {
  return modified === null ? {} : { lastmod: new Date(modified).toISOString() };
}

async function xmlOf(stream: Transform, items: readonly object[]): Promise<string> {
  return `${await text(Readable.from(items).pipe(stream))}\n`;
}
