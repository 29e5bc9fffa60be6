import { posix } from 'node:path';
import type { ArticleMapping } from '../mapping.js';
import { type ArticleFormat, articleFormat } from './format.js';

/** The folders of files that are not articles: the owner's pages, and descriptions of tags and authors. */
export const NO_ARTICLES = /^(?:pages|tags|authors)\//;

/** How the files of sites that Pressmark builds itself read; docs/article-file.md describes it. */
const plain: ArticleMapping = {
  own: [],
  keys: {
    title: 'title',
    description: 'description',
    date: 'date',
    updated: 'updated',
    tags: 'tags',
    image: 'image',
    author: 'author',
  },
  constants: {},
  reserved: [],
  isArticlePath: (path) => path.endsWith('.md') && !NO_ARTICLES.test(path),
  slug: ({ path, data }) =>
    data.slug === undefined || data.slug === null ? posix.basename(path, '.md') : String(data.slug),
  date: (iso) => iso,
  image: (url) => url,
  tagKey: (tag) => tag,
  extension: () => '.md',
  body: (incoming) => ({
    text: incoming.kind === 'html' ? incoming.html : incoming.markdown,
    frontMatter: {},
  }),
  pin: () => ({}),
  isPinned: () => false,
  hidden: () => undefined,
};

/**
 * The format of sites that Pressmark builds itself.
 *
 * @param url the public URL of an article whose file does not name one.
 */
export function plainFormat(url: (slug: string, date: string) => string): ArticleFormat {
  return articleFormat({ mapping: plain, siteUrl: '', url });
}
