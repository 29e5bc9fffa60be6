import { keyPath } from '../../article/format/key-path.js';
import type { FrontMatterValue, KeyNames } from '../../article/format/mapping.js';
import { byFrequency, isMap, textsOf } from '../../article/plain-data.js';
import type { GeneratorOptions, SiteFacts } from '../generator.js';
import type { SitePost } from './infer-pattern.js';

/** Names that sites give to the fields of an article, the most usual first. */
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
    'image images heroImage cover coverImage cover_image featured_image featuredImage feature-img feature_image thumbnail banner bigimg ogImage img',
  ),
  author: words('author authors byline'),
  category: words('categories category'),
  canonical: words('canonical canonical_url canonicalURL canonicalUrl'),
};

function words(text: string): string[] {
  return text.split(' ');
}

/** Fields whose value may stand in a list, a map or a list of maps. */
const NESTED = { image: ['image', 'src', 'url', 'path'], author: ['name'] } as const;

/** Whether a key has one of these names, in any case. */
export function isName(name: string, names: readonly string[]): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/**
 * The keys in which most posts have the fields of an article, where these are not the generator's usual ones. A nested
 * one is a path, such as `cover.image` or `authors[].name`.
 *
 * @param usual the keys that an article gets otherwise.
 */
export function keysOfPosts(posts: readonly SitePost[], usual: KeyNames): Partial<KeyNames> {
  const found: Record<string, string> = {};
  for (const field of Object.keys(FIELD_NAMES) as (keyof KeyNames)[]) {
    const paths = posts.flatMap(({ data, slug }) =>
      Object.entries(data)
        .filter(([name]) => isName(name, FIELD_NAMES[field]))
        .map(([name, value]) => pathOf(field, name, value, slug)),
    );
    const [best, ...others] = byFrequency(paths);
    // A key that posts have besides the usual one is for something else.
    if (best !== undefined && ![best, ...others].includes(usual[field] ?? '')) found[field] = best;
  }
  return found;
}

/** Where in a value the text of a field is; undefined if it is no text. */
function pathOf(field: keyof KeyNames, name: string, value: unknown, slug: string): string | undefined {
  // Most canonical addresses are those of a text that was published elsewhere before.
  if (field === 'canonical')
    return typeof value === 'string' && /^https?:/.test(value) && lastPart(value) === slug ? name : undefined;
  if (field === 'tags') return Array.isArray(value) || typeof value === 'string' ? name : undefined;
  if (field !== 'image' && field !== 'author' && field !== 'category')
    return typeof value === 'string' || value instanceof Date ? name : undefined;
  if (typeof value === 'string') return value === '' ? undefined : name;
  if (Array.isArray(value))
    return value.length === 0 ? undefined : pathOf(field, `${name}[]`, value[0], slug);
  if (field === 'category') return undefined;
  const key = isMap(value) ? NESTED[field].find((one) => typeof value[one] === 'string') : undefined;
  return key === undefined ? undefined : `${name}.${key}`;
}

function lastPart(address: string): string | undefined {
  return address
    .replace(/(?:\.x?html?)?\/?$/i, '')
    .split('/')
    .at(-1);
}

/**
 * What posts say of a new article: the front matter that they share, and the keys, authors and categories of the site.
 *
 * @param usual the keys that an article gets otherwise.
 * @param shared keys that decide how and where a post is displayed.
 * @param authors those of the site, by name.
 * @param keys where they differ from the usual ones. @default those of most posts
 */
export function factsOfPosts(
  posts: readonly SitePost[],
  usual: KeyNames,
  shared: readonly string[],
  authors: Readonly<Record<string, string>> = {},
  keys: Partial<KeyNames> = keysOfPosts(posts, usual),
): Pick<SiteFacts, 'frontMatter' | 'options'> {
  return {
    frontMatter: { ...sharedFrontMatter(posts, shared), ...sharedCategory(posts, keys) },
    options: { ...keysOption(keys), ...knownTerms(posts, keys, authors) },
  };
}

/** Front matter that decides how and where a post is displayed, as most posts have it. */
function sharedFrontMatter(
  posts: readonly SitePost[],
  keys: readonly string[],
): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  for (const key of keys) {
    const values = posts.map(({ data }) => data[key]).filter(isShareable);
    const written = values.map((value) => JSON.stringify(value));
    const [most] = byFrequency(written);
    if (most !== undefined && written.filter((one) => one === most).length * 2 > posts.length)
      shared[key] = JSON.parse(most) as FrontMatterValue;
  }
  return shared;
}

function isShareable(value: unknown): value is string | boolean | string[] {
  if (typeof value === 'boolean') return true;
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/** Fewer posts, such as those of a starter, say nothing about the category of the next one. */
const FEWEST_OF_CATEGORY = 3;

/** The category that most posts have, as front matter. */
export function sharedCategory(
  posts: readonly SitePost[],
  { category }: Partial<KeyNames>,
): Record<string, FrontMatterValue> {
  if (category == null || posts.length < FEWEST_OF_CATEGORY) return {};
  return sharedFrontMatter(posts, [keyPath(category).key]);
}

/** So many categories are known; of more, the rarest are none that an article is put into. */
const MOST_CATEGORIES = 200;

/** What posts say of authors and categories: the option that names those of the site, by the keys of the posts. */
export function knownTerms(
  posts: readonly SitePost[],
  keys: Partial<KeyNames>,
  authors: Readonly<Record<string, string>>,
): Pick<GeneratorOptions, 'authors' | 'categories'> {
  const valuesAt = (path: string | null | undefined): string[] =>
    path == null ? [] : posts.flatMap(({ data }) => textsOf(data[keyPath(path).key]));
  const ids = new Set(Object.values(authors));
  const named = valuesAt(keys.author);
  const categories = byFrequency(valuesAt(keys.category)).slice(0, MOST_CATEGORIES);
  return {
    ...(named.filter((id) => ids.has(id)).length * 2 > named.length && { authors }),
    ...(categories.length > 0 && { categories }),
  };
}

/** The option `keys`, where a key differs from the usual one. */
export function keysOption(keys: Partial<KeyNames>): Pick<GeneratorOptions, 'keys'> {
  return Object.keys(keys).length === 0 ? {} : { keys };
}
