import { itemComment } from '../../article/article.js';
import { messageOf } from '../../errors.js';
import type { Hooks } from '../../host/hooks.js';
import type { PluginOutput } from '../../host/outputs.js';
import type { SiteInfo } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import type { IndexEntry } from '../index/index-entry.js';
import { createSiteIndex } from '../index/site-index.js';
import { articlePages } from '../outputs/article-pages.js';
import { siteOutputs } from '../outputs/site-outputs.js';
import { summaryOf } from './page.js';
import { createRenderContext } from './render-context.js';
import { loadTheme } from './theme.js';

const HTML = `<p>Words.</p>${'<h2>Heading</h2><h3>Below</h3>'.repeat(9)}\n<table></table>\n${itemComment('sample')}`;

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

const TEXT = { title: 'Sample', description: '', html: HTML, toc: [], extra: {} };

const STAMP = { ino: 0, size: 0, mtimeMs: 0 };

const SAMPLE_FILE = {
  stamp: STAMP,
  html: HTML,
  length: { words: 1, readingMinutes: 1 },
  isHeaderComplete: true,
};

/**
 * Makes a page of every kind of made-up articles, and the files of plugins, writing nothing.
 *
 * @returns what fails, each reason once; see `Theme.render`.
 */
export async function tryTheme(
  themeDirs: readonly string[],
  site: SiteInfo,
  hooks: Hooks,
  added: readonly PluginOutput[],
  log: Log,
): Promise<string[]> {
  const index = createSiteIndex(site, () => false);
  for (const [name, sample] of Object.entries(SAMPLES)) index.apply(name, entryOf(name, site, sample));
  for (const path of ['pages/sample.md', 'tags/tag.md', 'authors/somebody.md'])
    index.applyText(path, { path, stamp: STAMP, ...TEXT });
  const context = createRenderContext(loadTheme(themeDirs, site), site, hooks, index, [], []);
  const read = (path: string) => {
    const entry = index.entryAt(path);
    return entry && { ...SAMPLE_FILE, article: { ...entry, slug: '', keyword: '', jsonLd: '', extra: {} } };
  };
  const files = { isBroken: () => false, isByHeader: () => false, readChanged: () => undefined };
  const outputs = siteOutputs({
    site,
    index,
    hooks,
    pageSize: 1,
    hosting: [],
    context: () => context,
    articles: articlePages(index, { read }, files, () => context),
    log,
    added,
    htmlOf: () => HTML,
    summaryOf: ({ entry }) => summaryOf(entry, () => 1),
  });
  outputs.affectedBy(index.takeChange()); // gives tags and authors their addresses
  const failures = new Set<string>();
  for (const path of outputs.paths()) {
    try {
      await outputs.at(path)?.render(path);
    } catch (error) {
      failures.add(messageOf(error));
    }
  }
  return [...failures];
}

function entryOf(name: string, { url }: SiteInfo, sample: Partial<IndexEntry>): IndexEntry {
  return {
    path: name,
    stamp: STAMP,
    id: name,
    url: `${url}/sample-${name}/`,
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
