import type { ArticleMapping } from '../../article/format/mapping.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import type { ValueMap } from '../../article/plain-data.js';
import { PressmarkError } from '../../errors.js';
import type { ListedPage, Question, SiteFiles } from '../generator.js';
import { inferFile, type SitePost } from './infer-pattern.js';
import { FIELD_NAMES, isName } from './post-fields.js';

/** The number of posts that are read to see how the site writes posts. */
const MOST_POSTS = 5_000;

/** The usual names of folders with posts, the likeliest first. */
export const POSTS_FOLDERS: readonly string[] =
  'blog posts post articles article news notes journal writing _posts _post'.split(' ');

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
 * The posts from which the address of the next one is inferred. A post with its address in its front matter does not follow the
 * site's rule; such posts count only if most posts are like that.
 *
 * @param key of the address in the front matter, such as `permalink`.
 */
export function postsOfRule(posts: readonly SitePost[], key: string): readonly SitePost[] {
  const own = posts.filter(({ data }) => typeof data[key] === 'string');
  return own.length * 2 > posts.length ? own : posts.filter((post) => !own.includes(post));
}

/**
 * The posts that decide the folder of the next one. If a quarter of the posts are in folders with usual names, only those
 * count.
 */
export function placedPosts(posts: readonly SitePost[]): readonly SitePost[] {
  const usual = posts.filter(({ path }) =>
    path
      .split('/')
      .slice(0, -1)
      .some((name) => POSTS_FOLDERS.includes(name)),
  );
  return usual.length * 4 >= posts.length && usual.length > 0 ? usual : posts;
}

/** The place of new posts. */
export interface Place {
  /** The folder below the content folder; empty for the content folder itself. */
  readonly folder: string;
  /** The pattern of a file below `folder`. */
  readonly file: string;
  /** The posts in the folder. */
  readonly posts: readonly SitePost[];
}

/**
 * The folder of the newest posts, and the pattern of its files' names.
 *
 * @param named the posts that decide. @default all
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
  /** Asks for the folder if it could not be found out. */
  readonly questions: readonly Question[];
}

/** The folder of the posts, or without posts a folder with a usual name. @param source the folder that the generator reads. */
export function postsFolder(files: SiteFiles, source: string, { folder, posts }: Place): PostsFolder {
  const joined = (name: string) => [source, name].filter((part) => part !== '').join('/') || '.';
  if (posts.length > 0) return { below: folder, content: joined(folder), questions: [] };
  const usual = POSTS_FOLDERS.find((name) => files.list(joined(name)).length > 0);
  const below = usual ?? 'posts';
  const content = joined(below);
  const text = `No folder of posts was found below ${source || 'the site’s folder'}. Which folder are articles stored in?`;
  return {
    below,
    content,
    questions: usual === undefined ? [{ flag: 'content', text, fallback: content }] : [],
  };
}

/**
 * The date of a post, from its front matter or its file's name; undefined for a page without a date.
 *
 * @param key of the date in the front matter. @default the first usual one
 */
export function dateOf(
  data: ValueMap,
  path: string,
  key = Object.keys(data).find((name) => isName(name, FIELD_NAMES.date)),
): string | undefined {
  const value = key === undefined ? undefined : data[key];
  if (typeof value === 'string') return isoDate(value);
  return /(?:^|\/)(\d{4}-\d\d-\d\d)-[^/]*(?:\/index\.[^/]*)?$/.exec(path)?.[1];
}

/** Converts a date to ISO 8601: posts often have a space instead of the `T`, and before the offset. */
function isoDate(text: string): string {
  return text.trim().replace(/^(\d{4}-\d\d-\d\d) +(\d\d:\d\d(?::\d\d(?:\.\d+)?)?) *(?:UTC)?/, '$1T$2');
}
