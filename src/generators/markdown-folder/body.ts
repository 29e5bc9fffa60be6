import type { IncomingBody, StoredBody } from '../../article/mapping.js';
import type { MappingOptions } from '../generator.js';
import { htmlBlock } from '../html-block.js';
import { needsHtml, withoutItemComments } from '../markdown.js';

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
