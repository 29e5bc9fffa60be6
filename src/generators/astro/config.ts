import type { KeyNames } from '../../article/mapping.js';
import type { SiteFiles } from '../generator.js';
import { withImports } from '../own-modules.js';
import { type Collection, folderOf, readCollections } from './collections.js';
import {
  argumentOf,
  type ObjectSource,
  objectSource,
  resolved,
  stringOf,
  withoutComments,
} from './js-objects.js';

export const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (extension) => `astro.config.${extension}`,
);

export const DEFAULT_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'pubDate',
  updated: null,
  tags: 'tags',
  image: null,
};

/** Names that themes give to a field, the most usual first. */
export const NAMES: Readonly<Record<Exclude<keyof KeyNames, 'author'>, readonly string[]>> = {
  title: ['title', 'headline', 'name'],
  description: ['description', 'excerpt', 'summary', 'snippet', 'subtitle', 'intro'],
  date: [
    'pubDate',
    'date',
    'publishDate',
    'pubDatetime',
    'publishedAt',
    'published',
    'publishedDate',
    'datePublished',
    'publicationDate',
    'createdAt',
    'created',
  ],
  updated: [
    'updatedDate',
    'modDatetime',
    'updateDate',
    'updated',
    'updatedAt',
    'lastmod',
    'lastUpdated',
    'lastModified',
    'modifiedDate',
    'dateModified',
    'modified',
  ],
  tags: ['tags', 'keywords', 'topics', 'labels'],
  image: [
    'heroImage',
    'image',
    'cover',
    'coverImage',
    'ogImage',
    'thumbnail',
    'featuredImage',
    'banner',
    'img',
  ],
};

/** Collections whose name says that they hold articles. */
const BLOG_NAMES = ['blog', 'posts', 'post', 'articles', 'article', 'news', 'writing', 'journal', 'notes'];

/** What the configuration and the content configuration say; expressions are kept as source. */
export interface Site {
  readonly config: ObjectSource;
  readonly configText: string;
  readonly srcDir: string;
  readonly collections: readonly Collection[];
  /** The one that articles go to. */
  readonly collection: Collection | undefined;
}

/** Reads the site's configuration and chooses the collection of its articles. */
export function readSite(files: SiteFiles): Site {
  const path = CONFIG_FILES.find((name) => files.read(name) !== undefined);
  const text = path === undefined ? '' : withoutComments(withImports(files, path));
  const argument =
    argumentOf(text, /\bdefineConfig\s*\(/) ?? /\bexport\s+default\s+([\s\S]*)/.exec(text)?.[1];
  const config = objectSource(resolved(argument?.trim().replace(/;$/, ''), text));
  const srcDir = folderOf(stringOf(resolved(config.get('srcDir'), text))) ?? 'src';
  const collections = readCollections(files, srcDir);
  const named = BLOG_NAMES.map((name) => collections.find((collection) => collection.name === name));
  const dated = collections.filter(({ schema }) =>
    schema?.keys.some(({ name }) => NAMES.date.includes(name)),
  );
  return {
    config,
    configText: text,
    srcDir,
    collections,
    collection:
      named.find((found) => found !== undefined) ??
      dated[0] ??
      (collections.length === 1 ? collections[0] : undefined),
  };
}

/** A text setting; undefined where the configuration does not have it or computes it. */
export const setting = (site: Site, name: string): string | undefined =>
  stringOf(resolved(site.config.get(name), site.configText));

/** The public address with the base path, without a slash at the end. */
export function siteUrlOf(site: Site): string | undefined {
  const origin = setting(site, 'site');
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  if (site.config.has('base') && setting(site, 'base') === undefined) return undefined;
  const base = (setting(site, 'base') ?? '').replace(/^\/+|\/+$/g, '');
  return `${new URL(origin).origin}${base === '' ? '' : `/${base}`}`;
}
