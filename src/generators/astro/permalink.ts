import type { SiteFiles } from '../generator.js';
import { type Site, setting } from './config.js';
import { objectSource, resolved, stringOf, withoutComments } from './js-objects.js';
import { below } from './posts.js';

interface Route {
  /** The page's file. */
  readonly path: string;
  /** Below `src/pages`. */
  readonly folder: string;
  /** Whether the file is an `index.astro` in the dynamic folder. */
  readonly isIndex: boolean;
}

/** The page that Astro makes for each file of the collection; undefined where none or several may be it. */
export function routeOf(files: SiteFiles, site: Site): Route | undefined {
  const routes = dynamicPages(files, site).filter(({ isId }) => isId);
  const named = routes.filter(({ isNamed }) => isNamed);
  return only(named.length > 0 ? named : routes);
}

/** The page that is most likely for the files of the collection, though it computes their addresses. */
export function likelyRoute(files: SiteFiles, site: Site): Route | undefined {
  return only(dynamicPages(files, site).filter(({ isNamed }) => isNamed));
}

const only = (routes: readonly Route[]): Route | undefined => (routes.length === 1 ? routes[0] : undefined);

interface DynamicPage extends Route {
  /** Whether the last part of its address is the id of an entry. */
  readonly isId: boolean;
  /** Whether it names the collection. */
  readonly isNamed: boolean;
}

/** The pages with one parameter, which may be an entry of the collection. */
function dynamicPages(files: SiteFiles, site: Site): DynamicPage[] {
  const pages = `${site.srcDir}/pages`;
  return below(files, pages, 5).flatMap((path) => {
    const shape = /^(?:(.*)\/)?\[(?:\.\.\.)?(\w+)\](\/index)?\.astro$/.exec(path.slice(pages.length + 1));
    if (shape === null || shape[1]?.includes('[')) return [];
    const text = withoutComments(files.read(path) ?? '');
    const param = shape[2] ?? '';
    const isId =
      new RegExp(`params\\s*:\\s*\\{\\s*["']?${param}["']?\\s*:\\s*[\\w$]+\\.(?:id|slug)\\s*,?\\s*\\}`).test(
        text,
      ) ||
      (['id', 'slug'].includes(param) &&
        new RegExp(`params\\s*:\\s*\\{\\s*${param}\\s*,?\\s*\\}`).test(text) &&
        new RegExp(`\\{\\s*${param}\\b`).test(text));
    const names = [...text.matchAll(/\bgetCollection\s*(?:<[^>]*>)?\(\s*["']([\w-]+)["']/g)].map(
      ([, name]) => name,
    );
    if (names.length > 0 && !names.includes(site.collection?.name)) return [];
    const isNamed = names.length > 0;
    return [{ path, folder: shape[1] ?? '', isIndex: shape[3] !== undefined, isId, isNamed }];
  });
}

/**
 * The address of a file's page on any static host. With `build.format: 'file'`, a page is `/blog/x.html`; its address
 * without the extension works on some hosts only.
 */
export function permalinkOf(site: Site, { folder, isIndex }: Route): string {
  const format =
    stringOf(objectSource(resolved(site.config.get('build'), site.configText)).get('format')) ?? 'directory';
  const path = `/${folder === '' ? '' : `${folder}/`}:slug`;
  if (format === 'file' || (format === 'preserve' && !isIndex)) return `${path}.html`;
  return setting(site, 'trailingSlash') === 'never' ? path : `${path}/`;
}
