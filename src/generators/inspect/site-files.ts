import type { SiteFiles } from '../generator.js';

/** The number of files that are read to see how a site uses its collections. */
const MOST_READ = 500;

/** The distinct matches of a pattern's groups in files. */
export function namesIn(files: SiteFiles, paths: readonly string[], pattern: RegExp): string[] {
  const texts = [...new Set(paths)].slice(0, MOST_READ).map((path) => files.read(path) ?? '');
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(pattern), ([, ...groups]) => groups.join('')),
  );
  return [...new Set(names)];
}

const [DEEPEST, MOST_FILES] = [8, 20_000];

/**
 * All files below a folder, by name.
 *
 * @param skipped names of files and folders. @default hidden folders and dependencies
 */
export function filesBelow(
  files: SiteFiles,
  folder: string,
  skipped = /^(?:\..*|node_modules)\/$/,
): string[] {
  const found: string[] = [];
  function walk(prefix: string, depth: number): void {
    for (const name of files.list(prefix.replace(/\/$/, '') || '.')) {
      if (skipped.test(name) || found.length >= MOST_FILES) continue;
      if (!name.endsWith('/')) found.push(`${prefix}${name}`);
      else if (depth < DEEPEST) walk(`${prefix}${name}`, depth + 1);
    }
  }
  walk(folder === '' ? '' : `${folder}/`, 0);
  return found;
}

/** The source files of a site: without packages, hidden files, static files and built files. */
export function filesOfSite(files: SiteFiles): string[] {
  return filesBelow(files, '', /^(?:\.|(?:node_modules|vendor|public|static|dist|out|build|coverage)\/$)/);
}

/**
 * The public address of a site, without a trailing slash; undefined if it is not a valid one.
 *
 * @param url absolute, from a configuration.
 * @param base the path of the site below its host. @default the path of the URL
 */
export function publicAddress(url: unknown, base?: unknown): string | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = (typeof base === 'string' ? base : pathname).replace(/^(?:\.?\/)+|\/+$/g, '');
  return path === '' ? origin : `${origin}/${path}`;
}

/** The path of a folder without a leading `./` and without slashes around it; empty for the site's folder. */
export function folderPath(path: string): string {
  return path.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '');
}
