import { messageOf } from '../errors.js';
import type { Hooks } from '../host/hooks.js';
import type { SiteInfo } from '../host/page-types.js';
import { pageOfArticle } from './article-pages.js';
import { dressUp } from './dress.js';
import type { IndexEntry } from './index-entry.js';
import { createModel } from './model.js';
import { neighboursOf } from './neighbours.js';
import { linkOf, type Page, summaryOf } from './page.js';
import { createPages } from './pages.js';
import type { Piece } from './series.js';
import { siteFiles } from './site-files.js';

const HTML = '<p>Words.</p>\n<table></table>\n<!-- svc:item:sample -->';

/** What articles may or may not have. */
const SAMPLES: Record<string, Partial<IndexEntry>> = {
  whole: {
    description: 'Words',
    author: 'Somebody',
    tags: ['Tag', 'Other'],
    image: 'https://images.example/a.png',
  },
  updated: { updated: '2026-01-03T08:00:00Z', author: 'Somebody', tags: ['Tag'] },
  bare: { date: 'no date' },
};

/**
 * Makes a page of every kind of made-up articles, writing nothing.
 *
 * @returns what fails, each reason once; see `Theme.render`.
 */
export async function tryTheme(templatesDir: string, site: SiteInfo, hooks: Hooks): Promise<string[]> {
  const model = createModel(site);
  for (const [name, sample] of Object.entries(SAMPLES)) model.apply(name, entryOf(name, site, sample));
  const dress = dressUp(templatesDir, site, hooks, model, []);
  const besides = siteFiles(site, hooks, model.all, dress, () => HTML, []);
  const pages = createPages(site, model, 1, () => besides);
  pages.settle(); // gives tags and authors their addresses
  const failures = new Set<string>();
  for (const file of pages.files()) {
    const recipe = pages.at(file);
    try {
      if (recipe?.is === 'file') await recipe.make();
      if (recipe?.is === 'page') await dress.render(recipe.page());
      if (recipe?.is === 'article') await dress.render(pageOf(recipe.piece));
    } catch (error) {
      failures.add(messageOf(error));
    }
  }
  return [...failures];

  function pageOf(piece: Piece): Page {
    const { previous, next, related } = neighboursOf(piece, model.all, model.tags);
    const links = {
      previous: previous === undefined ? null : linkOf(previous.entry),
      next: next === undefined ? null : linkOf(next.entry),
      related: related.map(({ entry }) => linkOf(entry)),
    };
    return pageOfArticle(piece.file, summaryOf(piece.entry), { html: HTML, jsonLd: '' }, links);
  }
}

function entryOf(name: string, { url }: SiteInfo, sample: Partial<IndexEntry>): IndexEntry {
  return {
    path: name,
    stamp: { ino: 0, size: 0, mtimeMs: 0 },
    id: name,
    url: `${url}/sample-${name}/`,
    canonical: undefined,
    title: name,
    description: '',
    date: '2026-01-02T08:00:00Z',
    updated: null,
    author: '',
    tags: [],
    image: null,
    ...sample,
  };
}
