import type { Hooks } from '../../host/hooks.js';
import type { FeedItem, SiteInfo } from '../../host/page-types.js';
import type { ArticleList, Post } from '../index/article-list.js';
import { sitePage, summaryOf } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import type { Content } from '../write/staged-file.js';
import { FEED_SIZE, FEEDS } from './feeds.js';
import { type Hosting, hostingFiles } from './hosting-files.js';

/** A file beside the pages. */
export interface SiteFile {
  /** How many of the newest articles it shows. */
  readonly shows: 'nothing' | number;
  /** Whether pages link it, so that it must stand before they do. */
  readonly isAsset?: true;
  make(): Content | Promise<Content>;
}

/**
 * The files beside the pages: feeds, 404, robots.txt, and what the theme brings along; the style sheet first, as the
 * pages need it.
 *
 * @param htmlOf the HTML of articles.
 * @param hosting static hosts that want files of their own.
 */
export function siteFiles(
  site: SiteInfo,
  hooks: Hooks,
  all: ArticleList,
  { theme, render, renderFile }: RenderContext,
  htmlOf: (post: Post) => string | undefined,
  hosting: readonly Hosting[] = [],
): ReadonlyMap<string, SiteFile> {
  const fixed = (make: SiteFile['make']): SiteFile => ({ shows: 'nothing', make });
  const asset = (make: SiteFile['make']): SiteFile => ({ ...fixed(make), isAsset: true });
  const files = new Map<string, SiteFile>([[theme.styleSheet.file, asset(() => theme.styleSheet.text)]]);
  for (const { file, read } of theme.assets) files.set(file, asset(read));
  files.set(
    'favicon.svg',
    asset(() => renderFile('favicon.svg')),
  );
  const texts = { title: { say: 'notFound' }, description: '' };
  files.set(
    '404.html',
    fixed(() => render(sitePage(site, 'notFound', '/404.html', texts))),
  );
  for (const { file, text } of hostingFiles(hosting, site, [theme.styleSheet.file]))
    files.set(
      file,
      fixed(() => text),
    );
  if (site.search) {
    const page = sitePage(site, 'search', '/search/', {
      title: { say: 'search' },
      description: { say: 'searchOf', values: { site: site.title } },
    });
    files.set(
      page.file,
      fixed(() => render(page)),
    );
  }
  // Robots are asked about at a host's root alone.
  if (site.basePath === '')
    files.set(
      'robots.txt',
      fixed(() => robots(site)),
    );
  for (const { file, make } of FEEDS)
    files.set(file, { shows: FEED_SIZE, make: async () => make(site, await filtered(newest(), file)) });
  return files;

  /** One that is malformed now and was not read before is left out: an entry without its text would replace the one that readers have. */
  function newest(): FeedItem[] {
    return all.items
      .slice(-FEED_SIZE)
      .reverse()
      .flatMap((post) => {
        const html = htmlOf(post);
        return html === undefined ? [] : [{ ...summaryOf(post.entry), html }];
      });
  }

  async function filtered(items: readonly FeedItem[], file: string): Promise<readonly FeedItem[]> {
    if (!hooks.hasFilter('feed.items')) return items;
    return hooks.applyFilters('feed.items', items, { kind: 'feed', path: `/${file}` });
  }
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}
