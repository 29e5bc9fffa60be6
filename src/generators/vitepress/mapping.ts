import type { ArticleMapping, FileFacts, KeyNames } from '../../article/mapping.js';
import { termKey } from '../../article/names.js';
import type { MappingOptions } from '../generator.js';
import { isOfPattern } from '../layout.js';
import { isoDateValue, storedPublication } from '../mapping/dates.js';
import { storedBody } from './body.js';

/** The keys that VitePress reads, and those of most blogs. */
export const KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: 'lastUpdated',
  tags: 'tags',
  image: null,
};

/** The mapping of `vitepress`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const keys: KeyNames = { ...KEYS, ...options.keys };
  return {
    keys,
    constants: options.constants,
    reserved: ['head', 'layout', 'titleTemplate'],
    isArticlePath,
    slug: slugOfFile,
    date: (iso) => isoDateValue(iso, options),
    writtenText,
    sentText,
    image: (url) => url,
    // VitePress makes no pages of tags; a site that makes them has a folder for each.
    tagKey: (tag) => (tag.startsWith('.') ? '' : termKey(tag)),
    extension: () => '.md',
    body: (incoming) => storedBody(incoming, options.body, options.titleInBody === true),
    pin: () => ({}),
    isPinned: (file, address) => isOfPattern(address, options, slugOfFile(file), file.data[keys.date]),
    publication: (file) => storedPublication(file, keys.date, options, options.timeZone),
  };
}

/**
 * What VitePress would act on in front matter, whose JSON it puts into a script: the end of that script, and a comment for
 * which it reads a file. A word joiner behind the `<` makes it a text. VitePress also writes the description into an
 * attribute as it is, so that a quotation mark would end it: a double prime looks the same.
 */
function writtenText(sent: string, field?: 'description'): string {
  const text = sent
    .replace(/<(?=\u2060*(?:\/script|!--\s*@include:))/gi, '<\u2060')
    .replace(/\u2033(?=\u2060)/g, '\u2033\u2060');
  return field === undefined ? text : text.replaceAll('"', '\u2033\u2060');
}

function sentText(written: string): string {
  return written
    .replace(/<\u2060(?=\u2060*(?:\/script|!--\s*@include:))/gi, '<')
    .replace(/\u2033\u2060(?!\u2060)|(?<=\u2033)\u2060/g, (text) => (text === '\u2060' ? '' : '"'));
}

/** Whether VitePress makes a page of a file of this name; `[name].md` is the template of many. */
export function isArticlePath(path: string): boolean {
  return path.endsWith('.md') && !path.includes('[');
}

/** The file's name without a date before it; the folder's name for `index.md`. */
export function slugOfFile({ path }: FileFacts): string {
  const [name = '', folder = ''] = path.replace(/\.md$/, '').split('/').toReversed();
  return (name === 'index' ? folder : name).replace(/^\d{4}-\d\d-\d\d-(?=.)/, '');
}
