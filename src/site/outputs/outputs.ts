import { posix } from 'node:path';
import { isReservedFile } from '../../article/address/reserved.js';
import type { PluginOutput } from '../../host/pages/outputs.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { fileAt } from '../index/addresses.js';
import type { Articles } from '../index/articles.js';
import { addressOfPage } from '../index/owner-texts.js';
import type { SiteOptions } from '../options.js';
import { sitePage } from '../render/page.js';
import type { ArticlePlanner } from './articles.js';
import { feeds } from './feeds.js';
import { archivePages, homePage, tagIndex, termPages } from './lists.js';
import { type Planned, type Planner, plannedPage, type Sources } from './planner.js';
import { pluginFiles } from './plugin-files.js';
import { redirectPages } from './redirect-pages.js';
import { hostFiles, staticFiles, themeFiles } from './site-files.js';
import { sitemap } from './sitemap.js';

/**
 * Creates the planners for all kinds of files. A new planner is added here, and its top-level names in
 * `article/address/reserved.ts`. Files come before the pages that link to them, and pages before lists.
 *
 * @param planArticle plans the page of an article.
 * @param isReserved see `reservedFiles`.
 */
export function sitePlanners(
  options: SiteOptions,
  planArticle: ArticlePlanner,
  articles: Articles,
  isReserved: (file: string) => boolean,
): readonly Planner[] {
  const { site, stateDir, staticDir, hooks, log, hosting, pageSize, outputs } = options;
  const lists = { site, pageSize };
  return [
    staticFiles(staticDir, log),
    themeFiles,
    function* (sources) {
      for (const post of sources.index.posts) yield planArticle(post, sources);
    },
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
    hostFiles(site, hosting, options.contentSecurityPolicy),
    redirectPages({ site, stateDir }),
  ];
}

/** Plans the owner's pages. */
function ownerPages(site: SiteInfo): Planner {
  return function* (sources) {
    for (const [path, text] of sources.index.texts) {
      const address = addressOfPage(path);
      if (address === undefined) continue;
      const { title, description, fingerprint } = text;
      yield plannedPage(sources, fileAt(address), [JSON.stringify(fingerprint)], () => ({
        ...sitePage(site, 'page', address, { title, description }),
        page: text,
      }));
    }
  };
}

/** Plans the page for addresses that do not exist. */
function notFoundPage(site: SiteInfo): Planner {
  const path = '404.html';
  const texts = { title: { t: 'notFound' }, description: '' };
  return (sources) => [plannedPage(sources, path, [], () => sitePage(site, 'notFound', `/${path}`, texts))];
}

/** Plans the search page, if the site has search. */
function searchPage(site: SiteInfo): Planner {
  const texts = {
    title: { t: 'search' },
    description: { t: 'searchOf', values: { site: site.title } },
  };
  const page = () => sitePage(site, 'search', '/search/', texts);
  return (sources) => (site.search ? [plannedPage(sources, 'search/index.html', [], page)] : []);
}

/**
 * Plans the files of all planners. If two plan the same file, or one plans a file where another one needs a folder, the first
 * one makes its file.
 */
export function* planAll(planners: readonly Planner[], sources: Sources, places: Places): Generator<Planned> {
  for (const plan of planners)
    for (const planned of plan(sources)) if (places.take(planned.path)) yield planned;
}

export type Places = ReturnType<typeof openPlaces>;

/** Creates a record of the files of the output, and of the folders that they are in. */
export function openPlaces() {
  const files = new Set<string>();
  const folders = new Set<string>();

  /** Lists the folders of a file from the innermost, up to the first one that has a file already. */
  function newFolders(path: string): string[] {
    const found: string[] = [];
    for (
      let folder = posix.dirname(path);
      folder !== '.' && !folders.has(folder);
      folder = posix.dirname(folder)
    )
      found.push(folder);
    return found;
  }

  /** Whether a file cannot be beside the recorded files: one of them is in its place, or needs a folder there. */
  const isBlocked = (path: string) =>
    files.has(path) || folders.has(path) || newFolders(path).some((folder) => files.has(folder));

  /** Records a file. @returns false if it is blocked. */
  function take(path: string): boolean {
    if (isBlocked(path)) return false;
    files.add(path);
    for (const folder of newFolders(path)) folders.add(folder);
    return true;
  }

  return { take, isBlocked, has: (path: string) => files.has(path) };
}

/**
 * Returns a function that says whether a file of the output is reserved for the site or a plugin, so that no article has its
 * page there. A reserved file is reserved as a folder, too, and a folder as a page.
 */
export function reservedFiles(outputs: readonly PluginOutput[]): (file: string) => boolean {
  const places = outputs.map(({ output }) => output.path.replace(/\/$/, '').toLowerCase()).filter(Boolean);
  const isAt = (name: string, place: string) =>
    name.startsWith(`${place}/`) || [place, `${place}.html`, `${place}.htm`].includes(name);
  return (file) => isReservedFile(file) || places.some((place) => isAt(file.toLowerCase(), place));
}
