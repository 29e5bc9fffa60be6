import type { ArticleMapping, FileFacts, IncomingBody, KeyNames, StoredBody } from '../../article/mapping.js';
import type { MappingOptions } from '../generator.js';
import { isOfPattern } from '../layout.js';
import { isoDateValue, storedPublication } from '../mapping/dates.js';
import { htmlBlock } from '../mapping/html-block.js';
import { needsHtml, withoutItemComments } from '../mapping/markdown.js';
import { tagOfPage } from '../mapping/tag-of-page.js';

/** The keys that sites mostly have. */
export const KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: null,
  tags: 'tags',
  image: null,
};

/** The mapping of `markdown-folder`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const keys: KeyNames = { ...KEYS, ...options.keys };
  return {
    keys,
    constants: options.constants,
    reserved: ['slug', 'path', 'permalink'],
    isArticlePath: (path) => path.endsWith('.md'),
    slug: slugOfFile,
    date: (iso) => isoDateValue(iso, options),
    image: (url) => url,
    tagKey: tagOfPage,
    extension: () => '.md',
    body: (incoming) => storedBody(incoming, options),
    pin: () => ({}),
    isPinned: (file, address) => isOfPattern(address, options, slugOfFile(file), file.data[keys.date]),
    publication: (file) =>
      file.data.draft === true || file.data.published === false
        ? { kind: 'draft' }
        : storedPublication(file, keys.date, options, options.timeZone),
  };
}

/** The file's name, which such code takes for the slug; the folder's name for `index.md`. A `slug` in front matter goes first. */
export function slugOfFile({ path, data }: FileFacts): string {
  if (typeof data.slug === 'string' && data.slug !== '')
    return data.slug.replace(/\/$/, '').replace(/^.*\//, '');
  const [name = '', folder = ''] = path.replace(/\.md$/, '').split('/').toReversed();
  return name === 'index' ? folder : name;
}

/**
 * A body as the site's code reads it: Markdown, and HTML in one block of it. Without `rawHtml` the code drops HTML or shows
 * its tags, so that the item comment is left to `postbuild`.
 */
export function storedBody(
  incoming: IncomingBody,
  { body, rawHtml = false }: Pick<MappingOptions, 'body' | 'rawHtml'>,
): StoredBody {
  const isMarkdown =
    incoming.kind === 'markdown' && body === 'markdown' && !(rawHtml && needsHtml(incoming.markdown));
  if (!isMarkdown) return { text: htmlBlock(incoming.html), frontMatter: {} };
  return { text: rawHtml ? incoming.markdown : withoutItemComments(incoming.markdown), frontMatter: {} };
}
