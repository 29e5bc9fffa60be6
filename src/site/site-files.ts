import type { Hooks } from '../host/hooks.js';
import type { FeedItem, SiteInfo } from '../host/page-types.js';
import { atomFeed, FEED_SIZE } from './feed.js';
import type { Render } from './list-pages.js';
import { sitePage, summaryOf } from './page.js';
import type { Round } from './round.js';
import { type Changes, isChanged, type Piece, type Series } from './series.js';
import { changedSitemaps, sitemapFiles } from './sitemap.js';
import type { Theme } from './theme.js';

/** The files beside the pages: feed, sitemap, style sheet, 404, robots.txt. */
export function createSiteFiles(
  site: SiteInfo,
  hooks: Hooks,
  all: Series,
  htmlOf: (pieces: readonly Piece[]) => string[],
) {
  /** What does not depend on any article. */
  async function buildFixed(round: Round, render: Render, theme: Theme): Promise<boolean> {
    const texts = { title: 'Page not found', description: '' };
    const notFound = sitePage(site, 'notFound', '/404.html', texts);
    const done = [await round.build('404.html', () => render(notFound))];
    done.push(await round.build('style.css', () => theme.css));
    if (hasRobots()) done.push(await round.build('robots.txt', () => robots(site)));
    return done.every(Boolean);
  }

  /** The feed and the sitemap, where `changes` may show in them. */
  async function build(round: Round, changes: Changes): Promise<boolean> {
    let done = true;
    if (isChanged(changes, all.items.length - FEED_SIZE, Number.POSITIVE_INFINITY)) {
      done = await round.build('feed.xml', feed);
    }
    for (const { file, make } of changedSitemaps(site, all, changes)) {
      const isDone = await round.build(file, make);
      done &&= isDone;
    }
    return done;
  }

  async function feed(): Promise<string> {
    const newest = all.items.slice(-FEED_SIZE).reverse();
    const html = htmlOf(newest);
    const items: readonly FeedItem[] = newest.map(({ entry }, index) => ({
      ...summaryOf(entry),
      html: html[index] ?? '',
    }));
    const info = { kind: 'feed', path: '/feed.xml' };
    return atomFeed(
      site,
      hooks.hasFilter('feed.items') ? await hooks.applyFilters('feed.items', items, info) : items,
    );
  }

  /** Robots are asked about at a host's root alone. */
  function hasRobots(): boolean {
    return site.basePath === '';
  }

  function files(): string[] {
    const fixed = ['404.html', 'style.css', 'feed.xml', ...sitemapFiles(all.items.length)];
    return hasRobots() ? [...fixed, 'robots.txt'] : fixed;
  }

  return { buildFixed, build, files };
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}
