import type { ArticleMapping, FileFacts } from '../../article/mapping.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { mapping as folderMapping } from '../markdown-folder/mapping.js';
import { storedBody } from './body.js';

/** The key that goes before the address of a file's name. */
const ADDRESS_KEY = 'path';

/** The mapping of `nuxt-content`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return {
    ...folderMapping(options),
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
    body: (incoming) => storedBody(incoming, options.body),
    // As the browser has it, and so a page that looks for the article.
    pin: (address) => ({ [ADDRESS_KEY]: withoutSlash(address) }),
    isPinned: ({ data }, address) =>
      typeof data[ADDRESS_KEY] === 'string' &&
      decodedAddress(withoutSlash(data[ADDRESS_KEY])) === decodedAddress(withoutSlash(address)),
  };
}

const withoutSlash = (address: string): string => address.replace(/(?<=.)\/$/, '');

/** The last part of the `path`, or the name of the file or folder without the number that orders it. */
function slugOfFile({ path, data }: FileFacts): string {
  const own = data[ADDRESS_KEY];
  if (typeof own === 'string' && /[^/]/.test(own))
    return decodedAddress(withoutSlash(own)).replace(/^.*\//, '');
  const [name = '', folder = ''] = path.replace(/\.md$/, '').split('/').toReversed();
  return (name === 'index' ? folder : name).replace(/^\d+\.(?=.)/, '');
}
