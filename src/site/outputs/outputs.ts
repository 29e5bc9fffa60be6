import type { PluginOutput } from '../../host/pages/outputs.js';
import type { Articles } from '../index/articles.js';
import type { SiteOptions } from '../options.js';
import { ICON } from '../render/render-context.js';
import type { ArticlePages } from './articles.js';
import { feeds } from './feeds.js';
import { archivePages, homePage, termPages } from './lists.js';
import { type Output, reservedPlaces } from './output.js';
import { notFoundPage, ownerPages, searchPage } from './owner-pages.js';
import { pluginFiles } from './plugin-files.js';
import { redirectPages } from './redirect-pages.js';
import { hostFiles, staticFiles, themeFiles } from './site-files.js';
import { sitemap } from './sitemap.js';
import { tagIndex } from './tag-index.js';

const NO_PLUGIN_OUTPUTS: readonly PluginOutput[] = [];

/**
 * Every output of a site; to add one, write it and name it here. The files that pages link come first, and pages
 * before the lists that link them. Where two outputs have the same file, the first one makes it.
 */
export function siteOutputs(
  {
    site,
    stateDir,
    staticDir,
    hooks,
    log,
    hosting = [],
    pageSize = 20,
    outputs = NO_PLUGIN_OUTPUTS,
    contentSecurityPolicy,
  }: SiteOptions,
  pages: ArticlePages,
  articles: Articles,
): readonly Output[] {
  const lists = { site, pageSize };
  const isReserved = (file: string) => reserved.test(file);
  const all: readonly Output[] = [
    staticFiles(staticDir, log),
    themeFiles(ICON),
    pages,
    homePage(lists),
    archivePages(lists),
    termPages(lists, 'tag'),
    termPages(lists, 'author'),
    tagIndex(site),
    feeds(site, articles, hooks),
    sitemap(site, hooks, isReserved),
    searchPage(site),
    notFoundPage(site),
    ownerPages(site),
    ...outputs.map((output) => pluginFiles(output, site, log)),
    hostFiles(site, hosting, contentSecurityPolicy),
    redirectPages({ site, stateDir, hosting }),
  ];
  const reserved = reservedPlaces(all);
  return all;
}
