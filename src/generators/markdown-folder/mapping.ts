import { isoDay } from '../../article/day.js';
import type { ArticleMapping, FileFacts, KeyNames } from '../../article/mapping.js';
import { dateValue, momentOf, storedPublication } from '../dates.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { tagOfPage } from '../tag-of-page.js';
import { storedBody } from './body.js';

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
    keptTags: options.keptTags ?? [],
    reserved: ['slug', 'path', 'permalink'],
    isArticlePath: (path) => path.endsWith('.md'),
    slug: slugOfFile,
    date(iso) {
      const at = momentOf(iso, 'UTC');
      if (at === undefined) return iso;
      return dateValue(options.dates, isoDay(iso, options.timeZone), new Date(at).toISOString());
    },
    image: (url) => url,
    tagKey: tagOfPage,
    extension: () => '.md',
    body: (incoming) => storedBody(incoming, options),
    pin: () => ({}),
    isPinned(file, address) {
      const date = file.data[keys.date];
      const own = options.address(slugOfFile(file), date === undefined ? '' : String(date));
      return withoutSlash(decodedAddress(own)) === withoutSlash(decodedAddress(address));
    },
    publication: (file) =>
      file.data.draft === true || file.data.published === false
        ? { kind: 'draft' }
        : storedPublication(file, keys.date, options, options.timeZone),
  };
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '');

/** The file's name, which such code takes for the slug; the folder's name for `index.md`. A `slug` in front matter goes first. */
export function slugOfFile({ path, data }: FileFacts): string {
  if (typeof data.slug === 'string' && data.slug !== '')
    return data.slug.replace(/\/$/, '').replace(/^.*\//, '');
  const [name = '', folder = ''] = path.replace(/\.md$/, '').split('/').toReversed();
  return name === 'index' ? folder : name;
}
