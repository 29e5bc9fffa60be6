import type { Hooks } from '../host/hooks.js';
import type { FeedItem, SiteInfo } from '../host/page-types.js';
import { FEED_SIZE, FEEDS } from './feeds.js';
import type { Render } from './list-pages.js';
import { sitePage, summaryOf } from './page.js';
import type { Round } from './round.js';
import { type Changes, isChanged, type Piece, type Series } from './series.js';
import { changedSitemaps, sitemapFiles } from './sitemap.js';
import type { Theme } from './theme.js';

/** What makes the files that depend on no article. */
export interface Dress {
  readonly theme: Theme;
  readonly render: Render;
  /** Renders a template that is no page. */
  renderFile(template: string): string;
}

/** The files beside the pages: feeds, sitemap, 404, robots.txt, and what the theme brings along. */
export function createSiteFiles(
  site: SiteInfo,
  hooks: Hooks,
  all: Series,
  htmlOf: (pieces: readonly Piece[]) => string[],
) {
  let themeFiles: string[] = [];

  /** What does not depend on any article; the style sheet first, as the pages need it. */
  async function buildFixed(round: Round, { theme, render, renderFile }: Dress): Promise<boolean> {
    const { styleSheet, assets } = theme;
    themeFiles = ['favicon.svg', styleSheet.file, ...assets.map(({ file }) => file)];
    const done = [await round.build(styleSheet.file, () => styleSheet.text)];
    for (const { file, read } of assets) done.push(await round.build(file, read));
    done.push(await round.build('favicon.svg', () => renderFile('favicon.svg')));
    const texts = { title: { say: 'notFound' }, description: '' };
    const notFound = sitePage(site, 'notFound', '/404.html', texts);
    done.push(await round.build('404.html', () => render(notFound)));
    if (hasRobots()) done.push(await round.build('robots.txt', () => robots(site)));
    return done.every(Boolean);
  }

  /** The feeds and the sitemap, where `changes` may show in them. */
  async function build(round: Round, changes: Changes): Promise<boolean> {
    const done: boolean[] = [];
    if (isChanged(changes, all.items.length - FEED_SIZE, Number.POSITIVE_INFINITY)) {
      let items: readonly FeedItem[] | undefined;
      for (const { file, make } of FEEDS) {
        const text = async () => {
          items ??= newest(); // read once for all feeds
          return make(site, await filtered(items, file));
        };
        done.push(await round.build(file, text));
      }
    }
    for (const { file, make } of changedSitemaps(site, all, changes))
      done.push(await round.build(file, make));
    return done.every(Boolean);
  }

  function newest(): FeedItem[] {
    const pieces = all.items.slice(-FEED_SIZE).reverse();
    const html = htmlOf(pieces);
    return pieces.map(({ entry }, index) => ({ ...summaryOf(entry), html: html[index] ?? '' }));
  }

  async function filtered(items: readonly FeedItem[], file: string): Promise<readonly FeedItem[]> {
    if (!hooks.hasFilter('feed.items')) return items;
    return hooks.applyFilters('feed.items', items, { kind: 'feed', path: `/${file}` });
  }

  /** Robots are asked about at a host's root alone. */
  function hasRobots(): boolean {
    return site.basePath === '';
  }

  function files(): string[] {
    const feeds = FEEDS.map(({ file }) => file);
    const robots = hasRobots() ? ['robots.txt'] : [];
    return ['404.html', ...themeFiles, ...feeds, ...sitemapFiles(all.items.length), ...robots];
  }

  return { buildFixed, build, files };
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}
