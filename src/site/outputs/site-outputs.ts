import type { Hooks } from '../../host/hooks.js';
import type { PluginOutput } from '../../host/outputs.js';
import type { Log } from '../../log.js';
import type { Post } from '../index/article-list.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Hosting } from '../options.js';
import { pathOf } from './addresses.js';
import { type Compress, compressedVariants } from './compressed-variants.js';
import { feeds } from './feeds.js';
import { archivePages, type ListDeps, termPages } from './list-pages.js';
import { combineOutputs, type Output, type SiteOutputs } from './output.js';
import { pluginOutputs } from './plugin-outputs.js';
import { homePage, notFoundPage, searchPage, standalonePages } from './single-pages.js';
import { sitemap } from './sitemap.js';
import { hostFiles, themeFiles } from './static-files.js';
import { tagIndex } from './tag-index.js';

/** What the outputs of a site are made from. */
export interface OutputDeps extends ListDeps {
  readonly index: SiteIndex;
  readonly hooks: Hooks;
  readonly hosting: readonly Hosting[];
  /** See `hostFiles`. */
  readonly contentSecurityPolicy?: string | false | undefined;
  /** The pages of articles. */
  readonly articles: Output;
  readonly log: Log;
  /** Outputs of plugins. */
  readonly added: readonly PluginOutput[];
  /** See `feeds`. */
  htmlOf(post: Post): string | undefined;
  /** Where there are to be compressed variants. */
  readonly compress?: Compress | undefined;
}

/** Every output of a site. To add one, write it and name it here. */
export function siteOutputs(deps: OutputDeps): SiteOutputs {
  const { site, index, hooks, hosting, context, articles, added, log, summaryOf, compress } = deps;
  const ownPages = standalonePages(site, index, context);
  /** The paths of the owner's pages that no article and no page of the site's own comes before. */
  const ownPaths = () => [...ownPages.paths()].filter((file) => sources.at(file) === ownPages).map(pathOf);
  const outputs: readonly Output[] = [
    articles,
    themeFiles(context),
    homePage(deps, index.all),
    tagIndex(site, index.tags, context),
    archivePages(deps, index.all),
    termPages(deps, 'tag', index),
    termPages(deps, 'author', index),
    feeds(deps, index.all, hooks),
    sitemap(site, index.all, { has: ownPages.has, paths: ownPaths }),
    searchPage(site, context),
    notFoundPage(site, context),
    ownPages,
    ...pluginOutputs(added, site, index, summaryOf, log),
    hostFiles(site, hosting, context, deps.contentSecurityPolicy),
  ];
  const sources = combineOutputs(outputs);
  if (compress === undefined) return sources;
  return combineOutputs([...outputs, compressedVariants(sources, compress)]);
}
