import type { ArticleMapping, FileFacts } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { fileName, siteMapping, withoutSlash } from '../mapping/site-mapping.js';
import { DRAFTS } from '../markdown-folder/mapping.js';
import { storedBody } from './body.js';

/** The key that goes before the address of a file's name. */
const ADDRESS_KEY = 'path';

/** The mapping of `nuxt-content`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    drafts: DRAFTS,
    isArticlePath: (path) => path.endsWith('.md'),
    // Nuxt Content reads these; a `mdc` names the components of a text.
    reserved: [
      ADDRESS_KEY,
      'stem',
      'body',
      'navigation',
      'seo',
      'mdc',
      'toc',
      'excerpt',
      'meta',
      'extension',
    ],
    slug: slugOfFile,
    body: storedBody,
    // As the browser has it, and so a page that looks for the article.
    pin: (address) => ({ [ADDRESS_KEY]: withoutSlash(address) }),
    isPinned: ({ data }, address) =>
      typeof data[ADDRESS_KEY] === 'string' &&
      decodedAddress(withoutSlash(data[ADDRESS_KEY])) === decodedAddress(withoutSlash(address)),
  });
}

/** The last part of the `path`, or the name of the file or folder without the number that orders it. */
function slugOfFile(file: FileFacts): string {
  const own = file.data[ADDRESS_KEY];
  if (typeof own === 'string' && /[^/]/.test(own))
    return decodedAddress(withoutSlash(own)).replace(/^.*\//, '');
  return fileName(file).replace(/^\d+\.(?=.)/, '');
}
