import type { SiteFiles } from '../generator.js';

/** Folders in which a site has neither posts nor code of its own. */
const SKIPPED = /^(?:\.|(?:node_modules|vendor|public|static|dist|out|build|coverage)\/$)/;

const DEEPEST = 8;
const MOST_FILES = 20_000;

/** The files of a site, without packages, hidden folders, and what is served or built. */
export function filesOfSite(files: SiteFiles): string[] {
  const found: string[] = [];
  function walk(folder: string, depth: number): void {
    for (const name of files.list(folder === '' ? '.' : folder)) {
      if (SKIPPED.test(name) || found.length >= MOST_FILES) continue;
      if (!name.endsWith('/')) found.push(`${folder}${name}`);
      else if (depth < DEEPEST) walk(`${folder}${name}`, depth + 1);
    }
  }
  walk('', 0);
  return found;
}

/** A page of the site that shows many files, by one parameter at the end of its address. */
export interface Route {
  /** What stands before the parameter, such as `/blog/`. */
  readonly path: string;
  /** Whether the parameter may have several parts. */
  readonly isCatchAll: boolean;
}

const ROOT = /^(?:src\/)?(?:app\/pages(?=.*\.vue$)|app|pages|routes)\//;
const PAGE = /(?:\/(?:page|index|\+page))?\.(?:[jt]sx?|svelte|vue)$/;
const PARAMETER = /^(?:\[{1,2}(\.{3})?(\w+)\]{1,2}|\{\w+\.(\w+)\})$/;
const OTHER = /^(?:tags?|page|category|categories|author|year|lang|locale)$/;

/** The pages that may show a post, as Next.js, SvelteKit, Gatsby and Nuxt name their files. */
export function routesOf(sources: readonly string[]): Route[] {
  const routes = sources.flatMap((file): Route[] => {
    if (!ROOT.test(file) || !PAGE.test(file)) return [];
    // A folder in parentheses is in no address.
    const parts = file
      .replace(ROOT, '')
      .replace(PAGE, '')
      .split('/')
      .filter((part) => !/^\(.*\)$/.test(part));
    const [, several, name, field] = PARAMETER.exec(parts.pop() ?? '') ?? [];
    if (OTHER.test(name ?? field ?? 'page') || parts.some((part) => /^[[{]/.test(part))) return [];
    return [{ path: ['', ...parts, ''].join('/'), isCatchAll: several !== undefined }];
  });
  const byPath = new Map(routes.map((route) => [route.path, route]));
  return [...byPath.values()];
}
