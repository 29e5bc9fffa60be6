import { messageOf } from '../../errors.js';
import type { Hooks } from '../../host/hooks.js';
import type { PluginOutput } from '../../host/outputs.js';
import type { SiteInfo } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import type { Post } from '../index/article-list.js';
import type { IndexEntry } from '../index/index-entry.js';
import { relatedTo } from '../index/related.js';
import { createSiteIndex, type SiteIndex } from '../index/site-index.js';
import type { StandalonePages } from '../index/standalone-pages.js';
import { pageOfArticle } from '../outputs/article-pages.js';
import type { Output } from '../outputs/output.js';
import { siteOutputs } from '../outputs/site-outputs.js';
import { linkOf, type Page, summaryOf } from './page.js';
import { createRenderContext } from './render-context.js';

const HTML = `<p>Words.</p>${'<h2>Heading</h2><h3>Below</h3>'.repeat(9)}\n<table></table>\n<!-- svc:item:sample -->`;

const summary = ({ entry }: Post) => summaryOf(entry, () => 1);

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

const SAMPLE_PAGES: StandalonePages = {
  all: new Map([['sample/index.html', { file: 'sample/index.html', path: '/sample/', ...TEXT }]]),
  navigation: [],
  digest: '',
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
  const index: SiteIndex = createSiteIndex(site, () => false);
  for (const [name, sample] of Object.entries(SAMPLES)) index.apply(name, entryOf(name, site, sample));
  for (const path of ['tags/tag.md', 'authors/somebody.md'])
    index.applyTermText(path, { path, stamp: STAMP, ...TEXT });
  const context = createRenderContext(themeDirs, site, hooks, index, SAMPLE_PAGES, []);
  const articles: Output = {
    reserved: [],
    paths: () => index.all.items.map(({ file }) => file),
    has: (path) => index.at(path) !== undefined,
    affectedBy: () => [],
    render: (path) => {
      const post = index.at(path);
      return post && context.render(pageOf(post));
    },
  };
  const outputs = siteOutputs({
    site,
    index,
    hooks,
    pageSize: 1,
    hosting: [],
    context: () => context,
    articles,
    log,
    added,
    htmlOf: () => HTML,
    summaryOf: summary,
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

  function pageOf(post: Post): Page {
    const { previous, next, related } = relatedTo(post, index.all, index.tags);
    const links = {
      previous: previous === undefined ? null : linkOf(previous.entry),
      next: next === undefined ? null : linkOf(next.entry),
      related: related.map(({ entry }) => linkOf(entry)),
    };
    return pageOfArticle(post.file, summary(post), { html: HTML, jsonLd: '', keyword: '', words: 1 }, links);
  }
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
