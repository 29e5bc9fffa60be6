import { splitFrontMatter } from '../../article/front-matter/read.js';
import type { FileFacts } from '../../article/mapping.js';
import { PressmarkError } from '../../errors.js';
import type { SiteFiles } from '../generator.js';
import { byFrequency, type ValueMap } from '../value.js';
import { defaultsOfPosts, hasTheme, layoutNames } from './config.js';
import { isPostName, MARKDOWN_EXTENSIONS, slugOfFile } from './mapping.js';

const SAMPLE_OF_POSTS = 200;

/** A post of the site; its path is relative to the folder of the posts. */
export interface Post extends FileFacts {
  readonly slug: string;
}

/** The newest posts, as far as their front matter can be read; Jekyll reads the folders below `_posts` too. */
export function readPosts(files: SiteFiles, content: string): readonly Post[] {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  return filesBelow(files, content)
    .filter((path) => isPostName(nameOf(path), MARKDOWN_EXTENSIONS))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(-SAMPLE_OF_POSTS)
    .flatMap((path) => {
      try {
        const { data } = splitFrontMatter(files.read(`${content}/${path}`) ?? '');
        return [{ path, data, slug: slugOfFile({ path, data }) }];
      } catch (error) {
        if (error instanceof PressmarkError) return []; // `doctor` names files that cannot be read
        throw error;
      }
    });
}

/** Symbolic links can make folders endlessly deep. */
const MOST_FOLDERS_DEEP = 5;

function filesBelow(files: SiteFiles, content: string, below = '', depth = 0): string[] {
  if (depth > MOST_FOLDERS_DEEP) return [];
  const names = files.list(`${content}/${below}`.replace(/\/$/, ''));
  return names.flatMap((name) =>
    name.endsWith('/') ? filesBelow(files, content, `${below}${name}`, depth + 1) : [`${below}${name}`],
  );
}

/** The layout that a new article has to name; undefined where `defaults:` names one or there is none. */
export function layoutOf(files: SiteFiles, config: ValueMap, posts: readonly Post[]): string | undefined {
  if (defaultsOfPosts(config).layout !== undefined) return undefined;
  const common = byFrequency(
    posts.flatMap(({ data }) => (typeof data.layout === 'string' ? [data.layout] : [])),
  )[0];
  if (common !== undefined) return common;
  const layouts = layoutNames(files, config);
  if (layouts.includes('post') || hasTheme(config)) return 'post';
  return ['page', 'default'].find((name) => layouts.includes(name));
}
