import type { ArticleMapping, IncomingBody, StoredBody } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { htmlBlock } from '../mapping/html-block.js';
import { needsHtml, withoutItemComments } from '../mapping/markdown.js';
import { draftsBy, siteMapping, slugBy } from '../mapping/site-mapping.js';

/** The mapping for `markdown-folder`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    isDraft,
    reserved: ['slug', 'path', 'permalink'],
    isArticlePath: (path) => path.endsWith('.md'),
    slug,
    body: (incoming) => storedBody(incoming, options),
  });
}

/** Whether the code of most sites leaves out a post. */
export const isDraft = draftsBy({ draft: true, published: false });

/** The file's name, which most sites' code uses as the slug. A `slug` in front matter takes precedence. */
export const slug = slugBy(/^(?!)/, 'slug');

/**
 * The body for the site's code: Markdown, or HTML in one block of it. Without `rawHtml`, the code drops HTML or shows its tags,
 * so the item comment is left to `postbuild`.
 */
export function storedBody(
  incoming: IncomingBody,
  { rawHtml = false }: Pick<MappingOptions, 'rawHtml'>,
): StoredBody {
  const isMarkdown = incoming.kind === 'markdown' && !(rawHtml && needsHtml(incoming.markdown));
  if (!isMarkdown) return { text: htmlBlock(incoming.html), frontMatter: {} };
  return { text: rawHtml ? incoming.markdown : withoutItemComments(incoming.markdown), frontMatter: {} };
}
