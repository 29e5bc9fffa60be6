import type { FrontMatterValue, KeyNames } from '../../article/mapping.js';
import type { Problem } from '../generator.js';
import { joined } from '../own-modules.js';
import { byFrequency } from '../value.js';
import { filesBelow, type Site } from './config.js';
import type { Literals } from './js-literals.js';
import { collectionTags } from './options.js';

/** A post of the site; its path is relative to the site, its front matter may be empty. */
export interface Post {
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const POSTS_FOLDERS = [
  'blog',
  'posts',
  'post',
  'articles',
  'news',
  'notes',
  'journal',
  'writing',
  'entries',
  '_posts',
];

/** Whether a file is a template, data, output or a copied file, and not a post. */
export function isSpecial(site: Site, path: string): boolean {
  const inside = (folder: string) => folder !== '' && path.startsWith(`${folder}/`);
  if ([site.includes, site.layouts, site.data, site.output].some(inside)) return true;
  return (
    passthrough(site).some(inside) ||
    (site.input === '' && /^(?:README|CHANGELOG|LICENSE|CONTRIBUTING)\b/i.test(path))
  );
}

/** Folders that are copied to the output as they are. They are source: nothing is written to them. */
function passthrough(site: Site): string[] {
  const given = site.config.calls
    .filter(({ name }) => name === 'addPassthroughCopy')
    .flatMap(({ strings }) => strings);
  return ['public', ...given.map((path) => joined('', path))];
}

/** The folder of most posts: one with a usual name first, else the one that directly holds most dated files. */
export function postsFolder(site: Site, posts: readonly Post[]): string | undefined {
  const count = new Map<string, number>();
  const named = new Map<string, number>();
  for (const { path, data } of posts) {
    const folders = path.split('/').slice(0, -1);
    const from = site.input === '' ? 0 : site.input.split('/').length;
    folders.forEach((name, index) => {
      const folder = folders.slice(0, index + 1).join('/');
      if (index >= from && POSTS_FOLDERS.includes(name)) named.set(folder, (named.get(folder) ?? 0) + 1);
    });
    if (!('date' in data) && !/(?:^|\/)\d{4}-\d{2}-\d{2}-[^/]*$/.test(path)) continue;
    // posts/2026/x.md and posts/x/index.md belong to posts.
    while (folders.length > from && /^\d+$/.test(folders.at(-1) ?? '')) folders.pop();
    const folder =
      /\/index\.\w+$/.test(path) && folders.length > from + 1
        ? folders.slice(0, -1).join('/')
        : folders.join('/');
    count.set(folder, (count.get(folder) ?? 0) + 1);
  }
  const most = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(
      (one, other) => other[1] - one[1] || one[0].length - other[0].length || (one[0] < other[0] ? -1 : 1),
    )[0]?.[0];
  const empty = POSTS_FOLDERS.map((name) => joined(site.input, name)).find(
    (folder) => site.files.list(folder).length > 0,
  );
  return (
    most(named) ??
    most(new Map([...count].filter(([folder]) => folder !== site.input))) ??
    empty ??
    most(count)
  );
}

/** Layout and collection tags that posts name in their own front matter because no data file does. */
export function sharedFrontMatter(
  site: Site,
  posts: readonly Post[],
  folderData: readonly Literals[],
  warnings: Problem[],
): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  const set = (key: string) =>
    folderData.some((data) => data.properties.some(({ path }) => path.at(0) === key && path.length === 1));
  const isGlobal = site.config.calls.some(
    ({ name, strings }) => name === 'addGlobalData' && strings[0] === 'layout',
  );
  if (!set('layout') && !isGlobal) {
    const layouts = posts.flatMap(({ data }) => (typeof data.layout === 'string' ? [data.layout] : []));
    const layout = byFrequency(layouts)[0] ?? (posts.length === 0 ? postLayout(site) : undefined);
    if (layout !== undefined) shared.layout = layout;
    else if (posts.length === 0)
      warnings.push({
        level: 'warn',
        text: 'Neither a post nor a data file names a layout; a page without one is the bare article.',
        fix: "Set articles.frontMatter: { layout: '…' } in pressmark.config.mjs.",
      });
  }
  const given = posts.map(({ data }) => tagsOf(data.tags));
  const inherited = new Set(
    folderData.flatMap((data) =>
      data.properties.filter(({ path }) => path.at(-1) === 'tags').map(({ value }) => String(value)),
    ),
  );
  const kept = new Set(collectionTags(site));
  const common = (given[0] ?? []).filter(
    (tag) => kept.has(tag) && !inherited.has(tag) && given.every((tags) => tags.includes(tag)),
  );
  if (common.length > 0) shared.tags = common;
  return shared;
}

function postLayout(site: Site): string | undefined {
  const names = filesBelow(site.files, site.layouts).map((path) => path.slice(site.layouts.length + 1));
  return names.find((name) =>
    /(?:^|\/)(?:post|article|blog|blog-post|single)\.(?:njk|liquid|html|webc|11ty\.[cm]?js)$/.test(name),
  );
}

/** The keys of the posts that differ from the usual ones. */
export function keyNames(posts: readonly Post[]): Partial<KeyNames> {
  const used = (names: readonly string[], fits: (value: unknown) => boolean) =>
    byFrequency(posts.flatMap(({ data }) => names.filter((name) => fits(data[name]))))[0];
  const description = used(
    ['description', 'summary', 'excerpt', 'abstract'],
    (value) => typeof value === 'string',
  );
  const updated = used(
    ['updated', 'modified', 'lastmod', 'lastModified', 'updatedDate', 'dateModified'],
    (value) => value !== undefined,
  );
  // Layouts often process images of the repository; only a site that names remote ones can display the service's.
  const image = used(
    ['image', 'cover', 'thumbnail', 'hero', 'featuredImage', 'ogImage'],
    (value) => typeof value === 'string' && /^https?:\/\//.test(value),
  );
  return {
    ...(description !== undefined && description !== 'description' && { description }),
    ...(updated !== undefined && { updated }),
    ...(image !== undefined && { image }),
  };
}

function tagsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((tag) => typeof tag === 'string');
}
