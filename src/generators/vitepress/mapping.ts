import type { ArticleMapping, FileFacts, KeyNames } from '../../article/format/mapping.js';
import { termKey } from '../../article/names.js';
import type { MappingOptions } from '../generator.js';
import { fileName, siteMapping, USUAL_KEYS } from '../mapping/site-mapping.js';
import { storedBody } from './body.js';

/** The keys that VitePress reads, and those of most blogs. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'lastUpdated' };

/** The mapping of `vitepress`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    usualKeys: KEYS,
    reserved: ['head', 'layout', 'titleTemplate'],
    isArticlePath,
    slug: slugOfFile,
    writtenText,
    sentText,
    // VitePress makes no pages of tags; a site that makes them has a folder for each.
    tagKey: (tag) => (tag.startsWith('.') ? '' : termKey(tag)),
    body: (incoming) => storedBody(incoming, options.titleInBody === true),
  });
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

/** The file's name without a date before it. */
export function slugOfFile(file: FileFacts): string {
  return fileName(file).replace(/^\d{4}-\d\d-\d\d-(?=.)/, '');
}
