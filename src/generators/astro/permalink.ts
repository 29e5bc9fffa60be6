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
  const pages = `${site.srcDir}/pages`;
  const found = below(files, pages, 5).flatMap((path) => {
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
    if (!isId) return [];
    const names = [...text.matchAll(/\bgetCollection\s*(?:<[^>]*>)?\(\s*["']([\w-]+)["']/g)].map(
      ([, name]) => name,
    );
    if (names.length > 0 && !names.includes(site.collection?.name)) return [];
    return [{ path, folder: shape[1] ?? '', isIndex: shape[3] !== undefined, isNamed: names.length > 0 }];
  });
  const named = found.filter(({ isNamed }) => isNamed);
  const candidates = named.length > 0 ? named : found;
  return candidates.length === 1 ? candidates[0] : undefined;
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
