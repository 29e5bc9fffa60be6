import { Readable, type Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { percentEncoded } from '../../article/address/files-of-address.js';
import type { OnFilterFailure } from '../../host/hooks/calls.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { SiteInfo, SitemapItem } from '../../host/pages/page-types.js';
import { fileAt } from '../index/addresses.js';
import { summaryOf } from '../index/article-entry.js';
import { ownerPagePaths } from './owner-pages.js';
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
  /** The owner's pages, without those that an article or a page of the site has replaced. */
  function pagesIn({ index }: Sources): string[] {
    return ownerPagePaths(index.texts.keys()).filter((path) => {
      const file = fileAt(path);
      return index.at(file) === undefined && !isReserved(file);
    });
  }

  function itemsOf(sources: Sources): SitemapItem[] {
    const own = ['/', ...pagesIn(sources)].map((path) => ({
      url: `${site.url}${percentEncoded(path)}`,
      article: null,
    }));
    const posts = sources.index.posts.map((post) => ({
      url: post.url,
      ...lastmodOf(post.modified),
      article: summaryOf(post),
    }));
    return [...own, ...posts];
  }

  async function fileOf(
    path: string,
    items: readonly SitemapItem[],
    onFailure?: OnFilterFailure,
  ): Promise<string> {
    const info = { kind: 'sitemap', path: `/${path}` } as const;
    const shown = await hooks.applyFilters('sitemap.items', items, info, onFailure);
    return urlset(shown.map(({ url, lastmod }) => ({ url, ...(lastmod !== undefined && { lastmod }) })));
  }

  return (sources): Planned[] => {
    const pages = pagesIn(sources);
    const key = cacheKey(sources.renderer.key, sources.index.key(), ...pages);
    const count = Math.ceil((1 + pages.length + sources.index.posts.length) / most);
    if (count === 1)
      return [{ path: SITEMAP, key, render: (onFailure) => fileOf(SITEMAP, itemsOf(sources), onFailure) }];
    const names = Array.from({ length: count }, (_, part) => `sitemap-${part + 1}.xml`);
    const parts = names.map((path, part) => ({
      path,
      key,
      render: (onFailure?: OnFilterFailure) =>
        fileOf(path, itemsOf(sources).slice(part * most, (part + 1) * most), onFailure),
    }));
    const urls = names.map((name) => ({ url: `${site.url}/${name}` }));
    const whole = { path: SITEMAP, key: cacheKey(sources.renderer.key, String(count)) };
    return [{ ...whole, render: () => sitemapIndex(urls) }, ...parts];
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
  const xml = await text(Readable.from(items).pipe(stream));
  return `${xml.replace('?>', '?><!-- Pressmark -->')}\n`;
}
