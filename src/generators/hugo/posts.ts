import { readFrontMatter } from '../../article/front-matter/read.js';
import type { FrontMatterValue } from '../../article/mapping.js';
import { PressmarkError } from '../../errors.js';
import type { SiteFiles } from '../generator.js';
import { textsOf, type ValueMap } from '../value.js';
import { type SiteShape, valueAt } from './config.js';
import { isArticlePath } from './mapping.js';

/** A post as `inspect` needs it. */
interface Post {
  /** First folder below the language's content; empty for a post without one. */
  readonly section: string;
  /** Folders between the section and the file, or the folder of a page bundle. */
  readonly folders: string;
  readonly data: ValueMap;
}

/** Sites with more files than this are judged by their first ones. */
const MOST_FILES = 5000;

/** The posts with a date, folder by folder; leaf bundles are one post each. */
export function readPosts(files: SiteFiles, shape: SiteShape): Post[] {
  const root = `${shape.content}/${shape.languageFolder}`.replace(/^\.\//, '');
  const posts: Post[] = [];
  const folders = [''];
  let count = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const names = files.list(`${root}${folder}`.replace(/\/$/, ''));
    const isBundle = names.some((name) => /^index\.(?:[\w-]+\.)?(?:md|markdown|html?)$/i.test(name));
    for (const name of names) {
      if (name.endsWith('/')) folders.push(`${folder}${name}`);
      if (!isArticlePath(name) || (isBundle && !name.startsWith('index.'))) continue;
      count += 1;
      if (count > MOST_FILES) return posts;
      const data = lowercaseKeys(files.read(`${root}${folder}${name}`) ?? '');
      if (data === undefined || (data.date === undefined && data.publishdate === undefined)) continue;
      const parts = folder.split('/').slice(0, isBundle ? -2 : -1);
      posts.push({ section: parts[0] ?? '', folders: parts.slice(1).join('/'), data });
    }
  }
  return posts;
}

/** A content file's front matter with its keys in lowercase; undefined where there is none that can be read. */
function lowercaseKeys(text: string): ValueMap | undefined {
  try {
    const { data } = readFrontMatter(text);
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key.toLowerCase(), value]));
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // such a post shows nothing of the others
    throw error;
  }
}

const USUAL_SECTIONS = ['posts', 'post', 'blog', 'articles', 'news', 'writing', 'notes'];

/** The section of most posts. Themes name it in `mainSections`, which decides where posts do not. */
export function sectionOf(posts: readonly Post[], values: ValueMap): string {
  const counts = new Map<string, number>();
  for (const { section } of posts) counts.set(section, (counts.get(section) ?? 0) + 1);
  const rank = (section: string) => (USUAL_SECTIONS.includes(section) ? USUAL_SECTIONS.indexOf(section) : 99);
  const [most] = [...counts].toSorted(([a, n], [b, m]) => m - n || rank(a) - rank(b));
  if (most !== undefined) return most[0];
  return textsOf(valueAt(values, 'params', 'mainsections'))[0] ?? 'posts';
}

/** Folders by date in which most posts of the section are, as a pattern. */
export function datedFolder(posts: readonly Post[]): string {
  const most = (pattern: RegExp) =>
    posts.filter(({ folders }) => pattern.test(folders)).length * 2 > posts.length;
  if (most(/^\d{4}$/)) return ':year';
  if (most(/^\d{4}\/\d\d$/)) return ':year/:month';
  return '';
}

/** Front matter that decides which template a post gets, where all posts of the section agree on it. */
export function sharedFrontMatter(posts: readonly Post[]): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  const [first] = posts;
  if (first === undefined || posts.length < 2) return shared;
  for (const key of ['type', 'layout']) {
    const value = first.data[key];
    if (typeof value === 'string' && posts.every(({ data }) => data[key] === value)) shared[key] = value;
  }
  return shared;
}
