import { escapeUTF8 } from 'entities';
import { percentEncoded } from '../../article/address/files-of-address.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { SiteInfo, SitemapItem } from '../../host/pages/page-types.js';
import { fileAt } from '../index/addresses.js';
import { summaryOf } from '../index/article-entry.js';
import { addressOfPage } from '../index/owner-texts.js';
import { cacheKey, type Planned, type Planner, type Sources } from './planner.js';

/** The maximum number of addresses in one file; the protocol allows 50,000. */
const MOST_ADDRESSES = 45_000;

const SITEMAP = 'sitemap.xml';

const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The form of a date in a sitemap. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Plans the sitemap: one file, or for a large site an index and its parts.
 *
 * @param isReserved whether a file is reserved for the site; the owner's page there is left out.
 */
export function sitemap(
  site: SiteInfo,
  hooks: Hooks,
  isReserved: (file: string) => boolean,
  most = MOST_ADDRESSES,
): Planner {
  /** Lists the paths of the owner's pages, without those that an article or a page of the site replaces. */
  function pagesIn({ index }: Sources): string[] {
    const paths = [...index.texts.keys()].flatMap((path) => addressOfPage(path) ?? []).sort();
    return paths.filter((path) => {
      const file = fileAt(path);
      return index.at(file) === undefined && !isReserved(file);
    });
  }

  function itemsOf(pages: readonly string[], { index }: Sources): SitemapItem[] {
    const isFiltered = hooks.hasFilter('sitemap.items');
    const own = ['/', ...pages].map((path) => ({
      url: `${site.url}${percentEncoded(path)}`,
      article: null,
    }));
    const posts = index.posts.map((post) => ({
      url: post.url,
      ...(post.modified !== null && { lastmod: post.modified }),
      article: isFiltered ? summaryOf(post) : null, // only on demand, as it takes long for all articles
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
        return documentOf('urlset', 'url', shown);
      },
    });
    if (count === 1) return [planned(SITEMAP, 0)];
    const parts = Array.from({ length: count }, (_, part) => planned(`sitemap-${part + 1}.xml`, part * most));
    const urls = parts.map(({ path }) => ({ url: `${site.url}/${path}` }));
    const index = cacheKey(sources.renderer.key, String(count));
    return [
      { path: SITEMAP, key: index, render: () => documentOf('sitemapindex', 'sitemap', urls) },
      ...parts,
    ];
  };
}

/** Makes a sitemap, or an index of its parts. @param child the element of each item. */
function documentOf(
  root: 'urlset' | 'sitemapindex',
  child: 'url' | 'sitemap',
  items: readonly Omit<SitemapItem, 'article'>[],
): string {
  const elements = items.map(({ url, lastmod }) => {
    const changed = lastmod === undefined ? '' : `<lastmod>${isoOf(lastmod)}</lastmod>`;
    return `<${child}><loc>${escapeUTF8(new URL(url).href)}</loc>${changed}</${child}>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="${XMLNS}">${elements.join('')}</${root}>\n`;
}

/** Converts a date to the form for a sitemap, as a plugin may write another form. */
function isoOf(date: string): string {
  return ISO.test(date) ? date : new Date(date).toISOString();
}
