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
