import { posix } from 'node:path';
import { parseMoment } from '../../contract/moment.js';
import { EXPIRY_KEY } from '../publication.js';
import { type ArticleFormat, articleFormat } from './format.js';
import type { ArticleMapping } from './mapping.js';

/** The folders of files that are not articles: the owner's pages, and descriptions of tags and authors. */
export const NO_ARTICLES = /^(?:pages|tags|authors)\//;

/** The mapping of sites that Pressmark builds itself; see docs/article-file.md. */
const plain: Omit<ArticleMapping, 'publication'> = {
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
};

/**
 * The format of sites that Pressmark builds itself.
 *
 * @param url the public URL of an article without a URL in its file.
 * @param timeZone the time zone of dates in front matter.
 * @param momentOf the moment of a date in front matter, in ms since 1970. @default only ISO 8601, in UTC
 */
export function plainFormat(
  url: (slug: string, date: string) => string,
  timeZone = 'UTC',
  momentOf: (date: string, timeZone: string) => number | undefined = parseMoment,
): ArticleFormat {
  // Only dates that the site's pages can show count, so that a typo does not remove an article from the site.
  const moment = (value: unknown) =>
    typeof value === 'string' && /^\s*\d{4}-\d\d-\d\d/.test(value) ? momentOf(value, timeZone) : undefined;
  const mapping: ArticleMapping = {
    ...plain,
    publication: ({ data }) => ({
      kind: 'dated',
      from: moment(data.date),
      until: moment(data[EXPIRY_KEY]),
    }),
  };
  return articleFormat({ mapping, siteUrl: '', url, settingsKey: timeZone });
}
