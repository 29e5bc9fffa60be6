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

const SAMPLE_PAGES: StandalonePages = {
  all: new Map([
    [
      'sample/index.html',
      {
        file: 'sample/index.html',
        path: '/sample/',
        title: 'Sample',
        description: '',
        html: HTML,
        extra: {},
      },
    ],
  ]),
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
    return pageOfArticle(post.file, summaryOf(post.entry), { html: HTML, jsonLd: '', keyword: '' }, links);
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
