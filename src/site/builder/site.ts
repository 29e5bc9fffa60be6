import { createCatalog } from '../../store/catalog/catalog.js';
import { createArticleCache } from '../index/article-cache.js';
import { openArticleFiles } from '../index/article-files.js';
import type { IndexEntry } from '../index/index-entry.js';
import { createSiteIndex } from '../index/site-index.js';
import type { SiteOptions } from '../options.js';
import { articlePages } from '../outputs/article-pages.js';
import { type OutputDeps, siteOutputs } from '../outputs/site-outputs.js';
import { summaryOf } from '../render/page.js';
import { contextFor, type RenderContext } from '../render/render-context.js';
import { loadTheme } from '../render/theme.js';

/** A site in memory: what it consists of, and which of its files are due; see `createSite`. */
export type Site = ReturnType<typeof createSite>;

/**
 * A site of which nothing is known yet.
 *
 * @param compress the output folder, where the site has compressed variants; see `compressedVariants`.
 */
export function createSite(options: SiteOptions, compress?: OutputDeps['compress']) {
  const { content, site, log, hooks, catalog = createCatalog(), pageSize = 20, hosting = [] } = options;
  const index = createSiteIndex(site, (path) => outputs.isReserved(path));
  const cache = createArticleCache(content);
  const articleFiles = openArticleFiles({ content, catalog, index, cache, log });
  let theme = loadTheme(options.themeDirs, site);
  let latest: RenderContext | undefined;
  const articles = articlePages(index, cache, articleFiles, context);
  const outputs = siteOutputs({
    site,
    index,
    hooks,
    pageSize,
    hosting,
    contentSecurityPolicy: options.contentSecurityPolicy,
    context,
    articles,
    log,
    added: options.outputs ?? [],
    htmlOf: ({ entry }) => cache.htmlOf(entry.path, entry.stamp),
    summaryOf: ({ entry }) => summaryOf(entry, () => cache.readingMinutesOf(entry)),
    compress,
  });
  /** Files that may not be as they should, or whose build has failed. */
  const due = new Set<string>();
  /** Those of them that are looked at only because nothing tells whether they have changed. */
  const unsure = new Set<string>();

  function addDue(files: Iterable<string>): void {
    for (const file of files) due.add(file);
  }

  /** Adds the files that the changes of the index affect. @returns these files. */
  function addAffected(): ReadonlySet<string> {
    const change = index.takeChange();
    const files = outputs.affectedBy(change);
    addDue(files);
    // No page of theirs will be made, for which their files would be read whole.
    const uncertain = change.unroutable.filter(({ path }) => articleFiles.isByHeader(path));
    if (uncertain.length > 0) {
      articleFiles.readChanged(uncertain.map(({ path }) => path));
      return new Set([...files, ...addAffected()]);
    }
    warnOfUnroutable(change.unroutable);
    return files;
  }

  /** Warns of articles that get no page, by an example. */
  function warnOfUnroutable([example, ...others]: readonly IndexEntry[]): void {
    if (example === undefined) return;
    const { path, url } = example;
    log.warn(
      { articles: others.length + 1, path, url, site: site.url },
      'articles without a page: their URL is not one that this site serves, or another file has it',
    );
  }

  /** Takes the changes of the index without making anything due: all files show them already. */
  function skipChange(): void {
    outputs.affectedBy(index.takeChange());
  }

  /** Reads the theme again. */
  function renewTheme(): void {
    theme = loadTheme(options.themeDirs, site);
    latest = undefined;
  }

  /** How the site looks by the theme that was read last, and the index as it is now. */
  function context(): RenderContext {
    const navigation = index.navigation();
    if (latest?.navigation !== navigation) latest = contextFor(options, theme, index, navigation);
    return latest;
  }

  return {
    index,
    articleFiles,
    articles,
    outputs,
    due,
    unsure,
    addDue,
    addAffected,
    skipChange,
    renewTheme,
    context,
  };
}
