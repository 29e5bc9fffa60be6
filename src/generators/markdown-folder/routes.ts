import type { Question } from '../generator.js';
import { POSTS_FOLDERS } from '../inspect/site-posts.js';

/** The address of a new article: that of the only page of the site with one parameter, at its end, that may show posts. */
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
  const [route, ...others] = likely.length > 0 ? likely : routes;
  // A parameter of several parts has the folders of the file, too, unless the route has named them.
  const below = route?.isCatchAll === true ? file.replace(/:slug.*$/, '') : '';
  const named = route?.path.slice(1) ?? '';
  const folders = below.startsWith(named) ? below.slice(named.length) : below;
  const permalink = `${route?.path ?? '/'}${folders}:slug${slash}`;
  if (route !== undefined && others.length === 0) return { permalink, questions: [] };
  const text = `Which address does a post get? ${route === undefined ? 'No page' : 'More than one page'} of the site may show one`;
  return { permalink, questions: [{ flag: 'permalink', text, fallback: permalink }] };
}

/** A page of the site that shows many files, by one parameter at the end of its address. */
interface PostRoute {
  /** What stands before the parameter, such as `/blog/`. */
  readonly path: string;
  /** Whether the parameter may have several parts. */
  readonly isCatchAll: boolean;
}

const ROOT = /^(?:src\/)?(?:app\/pages(?=.*\.vue$)|app|pages|routes)\//;
const PAGE = /(?:\/(?:page|index|\+page(?:@[^/.]*)?))?\.(?:[jt]sx?|svelte|vue)$/;
const PARAMETER = /^(?:\[{1,2}(\.{3})?([\w-]+)(?:=\w+)?\]{1,2}|\{\w+\.(\w+)\})$/;
const OTHER = /^(?:tags?|page|category|categories|author|year|lang|locale)$/;

/** The pages that may show a post, as Next.js, SvelteKit, Gatsby and Nuxt name their files. */
function routesOf(sources: readonly string[]): PostRoute[] {
  const routes = sources.flatMap((file): PostRoute[] => {
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
