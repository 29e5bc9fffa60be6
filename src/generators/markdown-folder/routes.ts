import type { Question } from '../generator.js';
import { POSTS_FOLDERS } from '../inspect/site-posts.js';

/** The address of a new article: that of the site's only page that may show posts, which has one parameter, at its end. */
export function addressOf(
  sources: readonly string[],
  content: string,
  file: string,
  slash: string,
): { readonly permalink: string; readonly questions: readonly Question[] } {
  const routes = routesOf(sources);
  const folder = content.split('/').at(-1) ?? '';
  const isNamed = ({ path }: { path: string }) =>
    path.split('/').some((part) => part !== '' && (part === folder || POSTS_FOLDERS.includes(part)));
  const likely = routes.filter(isNamed);
  const folders = new Set((likely.length > 0 ? likely : routes).map((route) => folderAt(route, file)));
  const [found = '/'] = folders;
  const permalink = `${found}:slug${slash}`;
  if (folders.size === 1) return { permalink, questions: [] };
  const text = `${folders.size === 0 ? 'No page' : 'More than one page'} of the site may show posts. Which address does a new article get?`;
  return { permalink, questions: [{ flag: 'permalink', text, fallback: permalink }] };
}

/** The path before the slug. A catch-all parameter includes the file's folders, unless the route already names them. */
function folderAt({ path, isCatchAll }: PostRoute, file: string): string {
  const below = isCatchAll ? file.replace(/:slug.*$/, '') : '';
  const named = path.slice(1);
  return path + (below.startsWith(named) ? below.slice(named.length) : below);
}

/** A page of the site that shows many files, by a parameter at the end of its address. */
interface PostRoute {
  /** The path before the parameter, such as `/blog/`. */
  readonly path: string;
  /** Whether the parameter may have several parts. */
  readonly isCatchAll: boolean;
}

const ROOT = /^(?:src\/)?(?:app\/pages(?=.*\.vue$)|app|pages|routes)\//;
const PAGE = /(?:\/(?:page|index|\+page(?:@[^/.]*)?))?\.(?:[jt]sx?|svelte|vue)$/;
const PARAMETER = /^(?:\[{1,2}(\.{3})?([\w-]+)(?:=\w+)?\]{1,2}|\{\w+\.(\w+)\})$/;
const OTHER = /^(?:tags?|page|category|categories|author|year|lang|locale)$/;

/** The pages that may show a post, by the file names of Next.js, SvelteKit, Gatsby and Nuxt. */
function routesOf(sources: readonly string[]): PostRoute[] {
  const routes = sources.flatMap((file): PostRoute[] => {
    if (!ROOT.test(file) || !PAGE.test(file)) return [];
    // A folder in parentheses is not part of the address.
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
