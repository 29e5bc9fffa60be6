import { posix } from 'node:path';
import { keyPath, SUB_KEYS } from '../../article/format/key-path.js';
import type { KeyNames } from '../../article/format/mapping.js';
import { byFrequency, isMap } from '../../article/plain-data.js';
import type { SiteFiles } from '../generator.js';
import type { SitePost } from './infer-pattern.js';
import { filesBelow } from './site-files.js';

/** The usual keys of an article's fields, the most common first. */
export const FIELD_NAMES: Readonly<Record<keyof KeyNames, readonly string[]>> = {
  title: words('title headline name'),
  description: words(
    'description metaDescription meta_description summary excerpt snippet subtitle abstract intro',
  ),
  date: words(
    'date pubDate publishDate pubDatetime publishedAt published publishedDate datePublished publicationDate createdAt created',
  ),
  updated: words(
    'lastmod last_modified_at updatedDate modDatetime updateDate updated updatedAt lastUpdated lastModified modifiedDate dateModified modified',
  ),
  tags: words('tags keywords topics labels'),
  image: words(
    'image images heroImage hero_image hero cover coverImage cover_image featured_image featuredImage feature-img feature_image thumbnail banner bigimg ogImage img',
  ),
  author: words('author authors byline'),
  category: words('categories category'),
  canonical: words('canonical canonical_url canonicalURL canonicalUrl'),
};

function words(text: string): string[] {
  return text.split(' ');
}

/** Whether a key has one of these names, in any case. */
export function isName(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/**
 * The keys of an article's fields in most posts, if they differ from the generator's usual ones. A nested key is a path, such
 * as `cover.image` or `authors[].name`.
 *
 * @param usual the generator's usual keys.
 * @param site the site if it may complete the names of pictures: their key then takes no address.
 */
export function keysOfPosts(
  posts: readonly SitePost[],
  usual: KeyNames,
  site?: PostFiles,
): Partial<KeyNames> {
  const found: Record<string, string | null> = {};
  for (const field of Object.keys(FIELD_NAMES) as (keyof KeyNames)[]) {
    const paths = posts.flatMap(({ data, slug }) =>
      Object.entries(data)
        .filter(([name]) => isName(name, FIELD_NAMES[field]))
        .map(([name, value]) => pathOf(field, name, value, slug)),
    );
    const [best, ...others] = byFrequency(paths);
    // If posts have the usual key as well, the other key has another purpose.
    if (best !== undefined && ![best, ...others].includes(usual[field] ?? '')) found[field] = best;
  }
  const image = found.image ?? usual.image;
  if (site !== undefined && image !== null && completesNames(site, posts, image)) found.image = null;
  return found;
}

/** The files of a site, and the folder of its posts. */
interface PostFiles {
  readonly files: SiteFiles;
  readonly content: string;
}

const NOT_SOURCE = /^(?:\..*|node_modules|vendor|_site|dist|out|build)\/$/;

const PICTURE = /^[^/:]+\.(?:avif|gif|jpe?g|png|svg|webp)$/i;

/** A file in the folder whose files are copied to the site: its name alone is an address. */
const AT_TOP = /^(?:(?:static|public|source)\/)?[^/]+$/;

/** Whether the names of pictures in the posts are those of files in another folder, which the site puts before each. */
function completesNames(site: PostFiles, posts: readonly SitePost[], path: string): boolean {
  const named = mereNames(site, posts, path);
  if (named.length === 0) return false;
  const paths = filesBelow(site.files, '', NOT_SOURCE).filter((file) => !AT_TOP.test(file));
  const names = new Set(paths.map((file) => posix.basename(file)));
  return named.some((name) => names.has(name));
}

/**
 * The names of pictures in the posts, if all are mere names, such as `cover.png`, that are not next to them. If the site puts a
 * folder before each, it makes an address of another site the name of a missing file.
 *
 * @param path of the picture's key, such as `cover.image`.
 */
export function mereNames({ files, content }: PostFiles, posts: readonly SitePost[], path: string): string[] {
  const { key, read } = keyPath(path);
  const named = posts.flatMap((post) => {
    const name = read(post.data[key]);
    return name === null || name === '' ? [] : [{ name, folder: posix.dirname(`${content}/${post.path}`) }];
  });
  const areNames = named.every(
    ({ name, folder }) => PICTURE.test(name) && !files.list(folder).includes(name),
  );
  return areNames ? named.map(({ name }) => name) : [];
}

/** The path to the text of a field within a value; undefined if there is no text. */
function pathOf(field: keyof KeyNames, name: string, value: unknown, slug: string): string | undefined {
  // Most canonical addresses belong to texts that were published elsewhere before.
  if (field === 'canonical')
    return typeof value === 'string' && /^https?:/.test(value) && lastPart(value) === slug ? name : undefined;
  if (field === 'tags') return Array.isArray(value) || typeof value === 'string' ? name : undefined;
  if (field !== 'image' && field !== 'author' && field !== 'category')
    return typeof value === 'string' ? name : undefined;
  if (typeof value === 'string') return value === '' ? undefined : name;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : pathOf(field, `${name}[]`, value[0], slug);
  if (field === 'category') return undefined;
  const key = isMap(value) ? SUB_KEYS[field].find((one) => typeof value[one] === 'string') : undefined;
  return key === undefined ? undefined : `${name}.${key}`;
}

function lastPart(address: string): string | undefined {
  return address
    .replace(/(?:\.x?html?)?\/?$/i, '')
    .split('/')
    .at(-1);
}
