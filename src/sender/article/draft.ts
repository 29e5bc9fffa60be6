import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { slugText } from '../../article/address/slug.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { isMoment, parseMoment } from '../../contract/moment.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { listOf, type MarkdownFile, splitFrontMatter, textOf, valueAt } from './front-matter.js';
import { plainLine } from './markdown.js';
import { absolute, oldUrlsOf, proseOf, withAbsoluteLinks } from './old-site.js';

/** An article that a person wrote in a Markdown file. */
export interface Draft {
  /** The id in the file, if any; the article keeps it wherever the file is. */
  readonly id: string | undefined;
  readonly title: string;
  /** Empty if there is no suggestion. */
  readonly slug: string;
  readonly description: string;
  readonly keyword: string;
  readonly image: string | null;
  /** Empty if the file names none. */
  readonly author: string;
  readonly tags: readonly string[];
  /** The day or time in the file, ISO 8601. */
  readonly date: string | undefined;
  /** The earliest time of publication, if it differs from `date`; ISO 8601. */
  readonly publishDate: string | undefined;
  /** The time of expiry, ISO 8601. */
  readonly expiryDate: string | undefined;
  /** Whether the file is marked as not to be published yet. */
  readonly unfinished: boolean;
  readonly markdown: string;
  /** The article's addresses on its old site; empty if they are not known. */
  readonly oldUrls: readonly string[];
  /** The parts of the file that cannot be sent unchanged. */
  readonly warnings: readonly string[];
}

/**
 * The reason in the file why an article is not to be published; undefined if there is none.
 *
 * @param now milliseconds since the epoch.
 */
export function whyUnfinished(
  { unfinished, date, publishDate, expiryDate }: Draft,
  now: number,
): string | undefined {
  if (unfinished) return 'it is a draft';
  const begins = publishDate ?? date;
  if (parseMoment(begins ?? '') > now) return `its date is still to come: ${begins}`;
  return parseMoment(expiryDate ?? '') <= now ? `it has expired: ${expiryDate}` : undefined;
}

/** The form of an id, which is part of an HTML comment in the page. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

/**
 * Reads an article from a Markdown file.
 *
 * @param base the address of the old site (see `oldUrlsOf`), against which relative links are resolved.
 * @throws PressmarkError ARTICLE_FILE_INVALID, its message without the file's name.
 */
export function readDraft(path: string, base: string | null = null): Draft {
  try {
    const bytes = fs.readFileSync(path);
    if (!isUtf8(bytes)) throw new Error('it is not valid UTF-8');
    return draftOf(bytes.toString('utf8'), path, base);
  } catch (cause) {
    throw new PressmarkError('ARTICLE_FILE_INVALID', messageOf(cause), { cause });
  }
}

/** Removes the closing number signs of a heading; they follow a blank, unlike that of `C#`. */
function withoutClosingMarks(line: string): string {
  const text = line.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}

function draftOf(text: string, path: string, base: string | null): Draft {
  const file = splitFrontMatter(text);
  const heading = /^(?:[ \t]*\r?\n)* {0,3}#[ \t]+([^\r\n]+)(?:\r?\n|$)/.exec(file.body);
  const ownTitle = textOf(file, 'title');
  const [title, body] =
    ownTitle === undefined && heading !== null
      ? [plainLine(withoutClosingMarks(heading[1] ?? '')), file.body.slice(heading[0].length)]
      : [ownTitle ?? '', file.body];
  const written = body.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
  if (written === '') throw new Error('there is no text below the front matter; write the article there');
  const permalink = concrete(textOf(file, 'permalink', 'url'));
  const slug = slugText(textOf(file, 'slug') ?? lastPart(permalink) ?? nameOf(path));
  const date = dateOf(file, 'date') ?? dateInName(path);
  const old =
    base === null
      ? undefined
      : oldUrlsOf(base, {
          aliases: listOf(file, 'aliases', 'redirect_from'),
          categories: listOf(file, 'categories', 'category'),
          ...{ permalink, slug, date },
        });
  const markdown = base === null ? written : withAbsoluteLinks(written, base, old?.page);
  const named = imageOf(file);
  const image = named && base !== null ? absolute(named, base, old?.page) : named;
  return {
    id: idOf(textOf(file, 'id')),
    title,
    slug,
    description: textOf(file, 'description', 'meta_description', 'excerpt', 'summary') ?? '',
    keyword: textOf(file, 'keyword', 'focus_keyword') ?? '',
    image: image !== undefined && canonicalUrl(image) !== undefined ? image : null,
    author: authorOf(valueAt(file, 'author', 'authors')),
    tags: listOf(file, 'tags', 'categories', 'category'),
    date,
    publishDate: dateOf(file, 'publishDate'),
    expiryDate: dateOf(file, 'expiryDate'),
    unfinished:
      flagOf(file, 'draft') === true ||
      flagOf(file, 'published') === false ||
      path.split(sep).includes('_drafts'),
    markdown,
    oldUrls: old?.all ?? [],
    warnings: [
      ...(image !== undefined && canonicalUrl(image) === undefined
        ? [
            `the image ${quote(image, 80)} is left out: it is no absolute http(s) URL, and the receiver gets no files`,
          ]
        : []),
      ...warningsOf(markdown, ownTitle),
    ],
  };
}

function idOf(id: string | undefined): string | undefined {
  if (id === undefined || ID.test(id)) return id;
  throw new Error(`id ${quote(id)} must be made of letters, digits and . _ : -`);
}

/** The image's address; generators write it as a text or in a map. */
function imageOf(file: MarkdownFile): string | undefined {
  const image = textOf(
    file,
    ...['image', 'featured_image', 'cover'].flatMap((key) =>
      typeof valueAt(file, key) === 'object'
        ? ['image', 'src', 'url', 'path'].map((one) => `${key}.${one}`)
        : [key],
    ),
  );
  return image || undefined;
}

/** Names from a text, or from a list of texts or of maps with a name. */
function authorOf(value: unknown): string {
  const names = [value].flat().map((one: unknown) => {
    const name = typeof one === 'object' && one !== null && 'name' in one ? one.name : one;
    if (typeof name === 'object' && name !== null)
      throw new Error('author must be a name, or a list of names');
    return String(name ?? '').trim();
  });
  return names.filter((name) => name !== '').join(', ');
}

const DATE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** A date in a format of generators, as ISO 8601. */
function dateOf(file: MarkdownFile, key: string): string | undefined {
  const text = textOf(file, key);
  if (text === undefined || text === '') return undefined;
  const [, year, month = '', day = '', hour, rest, zone] = DATE.exec(text) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const iso = hour === undefined ? date : `${date}T${hour.padStart(2, '0')}:${rest}${zoneText(zone)}`;
  if (year !== undefined && isMoment(iso)) return iso;
  throw new Error(
    `${key} ${quote(text)} is not an ISO 8601 date; write it as 2026-11-19 or 2026-11-19T08:00:00Z`,
  );
}

function zoneText(zone: string | undefined): string {
  if (zone === undefined) return '';
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
}

/** The day in the file name of a Jekyll post, `2026-11-19-name.md`. */
function dateInName(path: string): string | undefined {
  const day = /^\d{4}-\d\d-\d\d(?=-)/.exec(basename(path))?.[0];
  return day !== undefined && isMoment(day) ? day : undefined;
}

/** The address, if it has no placeholders; that of a folder, if it names the folder's `index.html`, as in Eleventy. */
function concrete(address: string | undefined): string | undefined {
  if (address === undefined || address === 'false' || /[:{]/.test(address.replace(/^https?:/, '')))
    return undefined;
  return address.replace(/(^|\/)index\.html?$/, '$1');
}

function lastPart(address: string | undefined): string | undefined {
  const name = address
    ?.replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)
    ?.replace(/\.html?$/, '');
  return name === '' ? undefined : name;
}

/** Syntax of the owner's generator that is sent as text, since receivers do not have that generator. */
const AS_TEXT: readonly (readonly [RegExp, string])[] = [
  [
    /\]\((?!https?:|mailto:|tel:|#|\{|<?\s*\))(?!\/\/)[^)\s]+/,
    'a relative link or picture, which leads nowhere on another site',
  ],
  [
    /<(?:img|a|video|source)\b[^>]*\b(?:src|href)=["'](?!https?:|mailto:|tel:|#|\{|data:|\/\/)/i,
    'a relative link or picture in HTML, which leads nowhere on another site',
  ],
  [/\{\{[<%].*?[>%]\}\}/s, 'a shortcode, which is sent as text'],
  [/\{%.*?%\}|\{\{[^<%].*?\}\}/s, 'a template tag, which is sent as text'],
  [/^\{:.*\}\s*$|\]\([^)]*\)\{:/m, 'an attribute list of kramdown, which is sent as text'],
  [/\[\^[^\]\s]+\]/, 'a footnote, which is sent as text'],
  [/^\s*[-*+] \[[ xX]\] /m, 'a task list, whose boxes are sent as text'],
  [/^\s*\$\$|\$\$\s*$/m, 'a formula between $$, which is sent as text'],
];

function warningsOf(markdown: string, title: string | undefined): string[] {
  const prose = proseOf(markdown);
  const found = AS_TEXT.flatMap(([pattern, words]) => (pattern.test(prose) ? [`it has ${words}`] : []));
  const first = /^# +([^\n]+)/.exec(markdown)?.[1] ?? '';
  const doubled = title !== undefined && plainLine(withoutClosingMarks(first)) === title && title !== '';
  return doubled ? [...found, 'its first heading says the title again'] : found;
}

/** The value of a boolean key, including the words of YAML 1.1, which generators read; undefined if it is missing. */
function flagOf(file: MarkdownFile, key: string): boolean | undefined {
  const text = textOf(file, key)?.toLowerCase();
  if (text === undefined || text === '') return undefined;
  if (['true', 'yes', 'y', 'on', '1'].includes(text)) return true;
  if (['false', 'no', 'n', 'off', '0'].includes(text)) return false;
  throw new Error(`${key} ${quote(text)} is neither true nor false`);
}

/** The name that the file suggests: without a leading date; for `index.md`, the folder's name. */
function nameOf(path: string): string {
  const name = basename(path).replace(/\.[^.]+$/, '');
  const telling = /^_?index$/i.test(name) ? basename(dirname(resolve(path))) : name;
  return telling.replace(/^\d{4}-\d\d-\d\d[-_]?(?=.)/, '');
}
