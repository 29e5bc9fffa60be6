import type { SiteFiles } from '../generator.js';

/** So many files show how a site uses its collections. */
const MOST_READ = 500;

/** What the groups of a pattern match in files, each once. */
export function namesIn(files: SiteFiles, paths: readonly string[], pattern: RegExp): string[] {
  const names = textsIn(files, paths).flatMap((text) =>
    Array.from(text.matchAll(pattern), ([, ...groups]) => groups.join('')),
  );
  return [...new Set(names)];
}

/** The texts of files. */
export function textsIn(files: SiteFiles, paths: readonly string[]): string[] {
  return [...new Set(paths)].slice(0, MOST_READ).map((path) => files.read(path) ?? '');
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

/** The files of a site, without packages, hidden ones, and what is served or built. */
export function filesOfSite(files: SiteFiles): string[] {
  return filesBelow(files, '', /^(?:\.|(?:node_modules|vendor|public|static|dist|out|build|coverage)\/$)/);
}
