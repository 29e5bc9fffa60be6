import { PressmarkError, quote } from '../../errors.js';
import type { Article } from '../article.js';
import { invalid, readFrontMatter } from '../front-matter/read.js';
import { isTimestamp } from '../front-matter/value.js';
import type { Publication } from '../publication.js';
import type { Address, BodyKind, StoredArticle, StoredUrl } from '../stored-article.js';
import { type AddressOptions, urlOf } from './address.js';
import { digestIn, digestOf, editRevision } from './digest.js';
import type { FileFacts, FrontMatterValue } from './mapping.js';
import { heldIn, ownOf, type SiteKeys, scalarOf } from './site-keys.js';

/** A file that was read: its article, and further data. */
export interface ReadFile {
  readonly article: Omit<Article, 'revision'>;
  readonly own: FileFacts['data'];
  readonly data: FileFacts['data'];
  readonly address: Address | undefined;
  readonly publication: Publication;
  readonly bodyKind: BodyKind;
}

/** Reads article files; see `articleDecoder`. */
export type ArticleDecoder = ReturnType<typeof articleDecoder>;

/**
 * Creates functions that read a site's article files. Each throws FRONT_MATTER_INVALID or FRONT_MATTER_UNSUPPORTED if a file
 * cannot be read.
 */
export function articleDecoder(options: AddressOptions, siteKeys: SiteKeys) {
  const { mapping } = options;
  const { path, image: imageAt, author: authorAt, all, constantTags, named, tagsIn } = siteKeys;
  const { keys } = mapping;
  const isTop = path.length === 0;
  const sent = mapping.sentText ?? ((text: string) => text);
  const constantTagKeys = new Set(constantTags.map(mapping.tagKey));

  // If all front matter is Pressmark's, a list or a map is a mistake; otherwise a theme may need it.
  const textIn = (map: FileFacts['data'], key: string) => {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (isTop && typeof value === 'object' && value !== null)
      throw invalid(1, `${quote(key)} must be a text, not a list or a map`);
    const text = scalarOf(value);
    return text === undefined ? undefined : sent(text);
  };
  const textsIn = (map: FileFacts['data'], key: string) => tagsIn(map[key]).map(sent);

  function read(text: string, at: string): ReadFile {
    if (at.endsWith('.mdx'))
      throw new PressmarkError('FRONT_MATTER_UNSUPPORTED', 'an .mdx file is a program, and is not read');
    const { form, data: inFile, body } = readFrontMatter(text);
    if (isTop && form !== 'yaml') throw invalid(1, 'the file must start with YAML between two lines ---');
    const data = named(inFile);
    const file: FileFacts = { path: at, data };
    const own = ownOf(data, path);
    const ownText = (name: string) => textIn(own, name);
    const field = (key: string | null, name: string) => (key === null ? ownText(name) : textIn(data, key));
    const slug = mapping.slug(file);
    const date = dateOf(textIn(data, keys.date), isTop ? undefined : ownText('published')) ?? '';
    const received = ownText('received');
    const held = heldIn(data, path);
    const page = urlOf(options, file, ownText('url'), slug, date);
    const article = {
      id: ownText('id') ?? at,
      title: field(keys.title, 'title') ?? slug,
      description: field(keys.description, 'description') ?? '',
      date,
      updated: updatedOf(data, ownText('updated')),
      // An author for whom the site's front matter has no place is in Pressmark's own.
      author:
        (isTop && authorAt !== undefined ? undefined : ownText('author')) ??
        sent(authorAt?.read(data[authorAt.key]) ?? ''),
      tags: withoutConstants(keys.tags === null ? textsIn(own, 'tags') : textsIn(data, keys.tags)),
      keyword: ownText('keyword') ?? '',
      image: imageAt === undefined ? (ownText('image') ?? null) : imageAt.read(data[imageAt.key]),
      slug,
      url: page.url,
      extra: Object.fromEntries(Object.entries(data).filter(([key]) => !all.has(key))),
      jsonLd: ownText('json_ld') ?? '',
      contentHtml: ownText('content_html') ?? '',
      body,
      ...(held !== undefined && { held }),
      ...(received !== undefined && { received }),
    };
    const bodyKind = isTop ? 'markdown' : bodyKindOf(own, at);
    return { article, own, data, address: page.address, publication: mapping.publication(file), bodyKind };
  }

  /** Removes the tags that every article of the site has. Without such tags, no keys are computed, as that takes long. */
  function withoutConstants(tags: string[]): string[] {
    return constantTagKeys.size === 0
      ? tags
      : tags.filter((tag) => !constantTagKeys.has(mapping.tagKey(tag)));
  }

  /** The date that was sent, if the file still contains it; otherwise the date that a person wrote. */
  function dateOf(inFile: string | undefined, asSent: string | undefined): string | undefined {
    if (asSent === undefined || inFile === undefined) return asSent ?? inFile;
    return inFile === valueText(mapping.date(asSent)) ? asSent : inFile;
  }

  function updatedOf(data: FileFacts['data'], asSent: string | undefined): string | null {
    return (keys.updated === null ? asSent : dateOf(textIn(data, keys.updated), asSent)) ?? null;
  }

  function decode(text: string, at: string): StoredArticle {
    const file = read(text, at);
    const { article, own } = file;
    const digest = scalarOf(own.digest);
    const sealedRevision = textIn(own, 'revision');
    const edited = digest === undefined || digest !== digestIn(text, digest, sealedRevision ?? '');
    const revision = (edited ? undefined : sealedRevision) ?? editRevision(text);
    return {
      article: { revision, ...article },
      edited,
      bodyEdited: isBodyEdited(file),
      digest,
      publication: file.publication,
      ...kindOf(file),
      ...addressField(file),
    };
  }

  /** The URL in a file that the service was given; undefined if there is none. */
  function storedUrl(text: string, at: string): StoredUrl | undefined {
    const { data } = readFrontMatter(text);
    const itsUrl = textIn(ownOf(data, path), 'url');
    if (itsUrl === undefined) return undefined;
    const file: FileFacts = { path: at, data: named(data) };
    const ends = [...itsUrl.matchAll(/\//g)].map(({ index }) => itsUrl.slice(index));
    // From the longest path on; the slashes of `https://` begin none.
    return { url: itsUrl, address: ends.slice(2).find((end) => mapping.isPinned(file, end)) };
  }

  return { read, decode, storedUrl };
}

/** The kind of a body: HTML in an `.html` file, otherwise the kind in Pressmark's own front matter. */
export function bodyKindOf(own: FileFacts['data'], path: string): BodyKind {
  return path.endsWith('.html') || own.body === 'html' ? 'html' : 'markdown';
}

function kindOf({ bodyKind }: ReadFile): { bodyKind?: 'html' } {
  return bodyKind === 'html' ? { bodyKind } : {};
}

/** The field `address` of results: whether the URL is certain; no field if the file pins it. */
export function addressField({ address }: { readonly address?: Address | undefined }): { address?: Address } {
  return address === undefined ? {} : { address };
}

function isBodyEdited({ own, article }: ReadFile): boolean {
  return scalarOf(own.body_digest) !== digestOf(article.body);
}

/** The text of a front matter value that the mapping made for a date. */
function valueText(value: FrontMatterValue): string | undefined {
  return scalarOf(isTimestamp(value) ? value.text : value);
}
