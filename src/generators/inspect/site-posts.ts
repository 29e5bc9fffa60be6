import { keyPath } from '../../article/format/key-path.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import type { ArticleMapping, FrontMatterValue, KeyNames } from '../../article/mapping.js';
import { PressmarkError } from '../../errors.js';
import type { GeneratorOptions, ListedPage, Question, SiteFacts, SiteFiles } from '../generator.js';
import { byFrequency, isMap, textsOf, type ValueMap } from '../value.js';
import { inferFile, type PlacedPost } from './infer-pattern.js';

/** A post of the site, with its front matter. */
export interface SitePost extends PlacedPost {
  readonly data: ValueMap;
}

/** So many posts show how the site writes its own. */
const MOST_POSTS = 5_000;

/** Folders whose names say that they hold posts, the likeliest first. */
export const POSTS_FOLDERS: readonly string[] = words(
  'blog posts post articles news notes journal writing _posts',
);

/** Names that sites give to the fields of an article, the most usual first. */
export const FIELD_NAMES: Readonly<Record<keyof KeyNames, readonly string[]>> = {
  title: words('title headline name'),
  description: words('description summary excerpt snippet subtitle abstract intro'),
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

/**
 * The dated posts among the pages of a site.
 *
 * @param content the content folder, relative to the site's; empty for the site's folder.
 */
export function readPosts(
  files: SiteFiles,
  content: string,
  pages: readonly ListedPage[],
  mapping: Pick<ArticleMapping, 'isArticlePath' | 'slug'>,
): SitePost[] {
  const prefix = content === '' || content === '.' ? '' : `${content}/`;
  return pages.slice(0, MOST_POSTS).flatMap(({ path, address }): SitePost[] => {
    const file = path.replace(/^\.\//, '');
    const below = file.slice(prefix.length);
    if (!file.startsWith(prefix) || !mapping.isArticlePath(below)) return [];
    const data = frontMatterOf(files.read(file) ?? '');
    const date = data && dateOf(data, below);
    if (data === undefined || date === undefined) return [];
    return [{ path: below, address, data, date, slug: mapping.slug({ path: below, data }) }];
  });
}

function frontMatterOf(text: string): ValueMap | undefined {
  try {
    return readFrontMatter(text).data;
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // `doctor` names files that cannot be read
    throw error;
  }
}

/**
 * The posts from which the address of the next one is inferred. A post that sets its address in its front matter does not
 * follow the site's rule; such posts count only where most posts do so.
 *
 * @param key of the address in the front matter, such as `permalink`.
 */
export function postsOfRule(posts: readonly SitePost[], key: string): readonly SitePost[] {
  const own = posts.filter(({ data }) => typeof data[key] === 'string');
  return own.length * 2 > posts.length ? own : posts.filter((post) => !own.includes(post));
}

const POSTS_FOLDER = /(?:^|\/)(?:_?posts?|blog|articles?|news|writing|journal|notes)\//;

/** The posts by whose folder the next one is placed: a quarter of them in folders of usual names go before all others. */
export function placedPosts(posts: readonly SitePost[]): readonly SitePost[] {
  const usual = posts.filter(({ path }) => POSTS_FOLDER.test(path));
  return usual.length * 4 >= posts.length && usual.length > 0 ? usual : posts;
}

/** Where new posts go. */
export interface Place {
  /** Below the content folder; empty for that itself. */
  readonly folder: string;
  /** The pattern of a file below `folder`. */
  readonly file: string;
  /** The posts in the folder. */
  readonly posts: readonly SitePost[];
}

/**
 * The folder of the newest posts, and how files are named there.
 *
 * @param named those that decide. @default all
 */
export function placeOf(
  all: readonly SitePost[],
  timeZone?: string,
  named: readonly SitePost[] = all,
): Place {
  const { pattern } = inferFile(named, timeZone) ?? { pattern: ':slug.md' };
  const [folder = ''] = /^(?:[^:]*\/)?/.exec(pattern) ?? [];
  const posts = all.filter(({ path }) => path.startsWith(folder));
  const isFolders = posts.length > 0 && posts.every(({ path }) => /\/index\.[^/]*$/.test(path));
  const file = pattern.slice(folder.length);
  return {
    folder: folder.replace(/\/$/, ''),
    file: isFolders ? file.replace(/\.md$/, '/index.md') : file,
    posts,
  };
}

/** The folder of new posts below the one that a generator reads. */
export interface PostsFolder {
  readonly below: string;
  /** Relative to the site's folder. */
  readonly content: string;
  /** Asks for the folder where nothing shows it. */
  readonly questions: readonly Question[];
}

/** That of the posts; without posts, one with a usual name. @param source the folder that the generator reads. */
export function postsFolder(files: SiteFiles, source: string, { folder, posts }: Place): PostsFolder {
  const joined = (name: string) => [source, name].filter((part) => part !== '').join('/') || '.';
  if (posts.length > 0) return { below: folder, content: joined(folder), questions: [] };
  const usual = POSTS_FOLDERS.find((name) => files.list(joined(name)).length > 0);
  const below = usual ?? 'posts';
  const content = joined(below);
  const text = `No folder of posts was found below ${source || '.'}. In which folder do articles belong?`;
  return {
    below,
    content,
    questions: usual === undefined ? [{ flag: 'content', text, fallback: content }] : [],
  };
}

/** The date of a post, in its front matter or in its file's name; undefined for a page without one. */
function dateOf(data: ValueMap, path: string): string | undefined {
  const key = Object.keys(data).find((name) => isName(name, FIELD_NAMES.date));
  const value = key === undefined ? undefined : data[key];
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return isoDate(value);
  return /(?:^|\/)(\d{4}-\d\d-\d\d)-[^/]*(?:\/index\.[^/]*)?$/.exec(path)?.[1];
}

/** A date as ISO 8601 has it: posts mostly have a space for the `T`, and one before the offset. */
function isoDate(text: string): string {
  return text.trim().replace(/^(\d{4}-\d\d-\d\d) +(\d\d:\d\d(?::\d\d(?:\.\d+)?)?) *(?:UTC)?/, '$1T$2');
}

function isName(name: string, names: readonly string[]): boolean {
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

/** Where in a value the text of a field is; undefined where it is no text. */
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
