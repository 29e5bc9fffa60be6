import { splitFrontMatter } from '../../article/front-matter/read.js';
import type { FileFacts } from '../../article/mapping.js';
import type { SiteFiles } from '../generator.js';
import { type Config, contentFolder, defaultsOfPosts, hasTheme, layoutNames } from './config.js';
import { isPostName, MARKDOWN_EXTENSIONS, slugOfFile } from './mapping.js';

const SAMPLE_OF_POSTS = 200;

/** A post of the site; its path is relative to the folder of the posts. */
export interface Post extends FileFacts {
  readonly slug: string;
}

/** The newest posts, as far as their front matter can be read. */
export function readPosts(files: SiteFiles, content: string): readonly Post[] {
  const names = files.list(content).filter((name) => isPostName(name, MARKDOWN_EXTENSIONS));
  return names
    .sort()
    .slice(-SAMPLE_OF_POSTS)
    .flatMap((path) => {
      try {
        const { data } = splitFrontMatter(files.read(`${content}/${path}`) ?? '');
        return [{ path, data, slug: slugOfFile({ path, data }) }];
      } catch {
        return []; // `doctor` names files that cannot be read
      }
    });
}

/** The layout that a new article has to name; undefined where `defaults:` names one or there is none. */
export function layoutOf(files: SiteFiles, config: Config, posts: readonly Post[]): string | undefined {
  if (defaultsOfPosts(config, contentFolder(config)).layout !== undefined) return undefined;
  const common = mostFrequent(
    posts.flatMap(({ data }) => (typeof data.layout === 'string' ? [data.layout] : [])),
  );
  if (common !== undefined) return common;
  const layouts = layoutNames(files, config);
  if (layouts.includes('post') || hasTheme(config)) return 'post';
  return ['page', 'default'].find((name) => layouts.includes(name));
}

export function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
