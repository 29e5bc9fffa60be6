import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { slugText } from '../../article/slug.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { isMoment, parseMoment } from '../../contract/moment.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { listOf, type MarkdownFile, splitFrontMatter, textOf } from './front-matter.js';
import { plainLine } from './markdown.js';

/** An article as a person wrote it in a Markdown file. */
export interface Draft {
  /** The article's id where the file names one; the same article then has it wherever the file lies. */
  readonly id: string | undefined;
  readonly title: string;
  /** Empty where nothing suggests one. */
  readonly slug: string;
  readonly description: string;
  readonly keyword: string;
  readonly image: string | null;
  /** Empty where the file names none. */
  readonly author: string;
  readonly tags: readonly string[];
  /** The day or moment that the file gives, ISO 8601. */
  readonly date: string | undefined;
  /** Whether the file says that it is not to be published yet. */
  readonly unfinished: boolean;
  readonly markdown: string;
}

/**
 * Whether an article is not to be published yet: its file says so, or its date is still to come.
 *
 * @param now milliseconds since the epoch.
 */
export function isUnfinished({ unfinished, date }: Draft, now: number): boolean {
  return unfinished || parseMoment(date ?? '') > now;
}

/** It stands in an HTML comment in the page. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

/**
 * Reads an article from a Markdown file.
 *
 * @throws PressmarkError ARTICLE_FILE_INVALID, its message starting with the file's name.
 */
export function readDraft(path: string): Draft {
  try {
    const bytes = fs.readFileSync(path);
    if (!isUtf8(bytes)) throw new Error('it is not valid UTF-8');
    return draftOf(bytes.toString('utf8'), path);
  } catch (cause) {
    throw new PressmarkError('ARTICLE_FILE_INVALID', `${path}: ${messageOf(cause)}`, { cause });
  }
}

/** A heading without the number signs that may close it; they stand behind a blank, unlike those of `C#`. */
function withoutClosingMarks(line: string): string {
  const text = line.trimEnd();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text;
}

function draftOf(text: string, path: string): Draft {
  const file = splitFrontMatter(text);
  const heading = /^\s*#[ \t]+([^\r\n]+)(?:\r?\n|$)/.exec(file.body);
  const named = textOf(file, 'title');
  const [title, body] =
    named === undefined && heading !== null
      ? [plainLine(withoutClosingMarks(heading[1] ?? '')), file.body.slice(heading[0].length)]
      : [named ?? '', file.body];
  const markdown = body.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
  if (markdown === '') throw new Error('there is no text below the front matter; write the article there');
  return {
    id: idOf(textOf(file, 'id')),
    title,
    slug: slugText(textOf(file, 'slug') ?? nameOf(path)),
    description: textOf(file, 'description', 'meta_description') ?? '',
    keyword: textOf(file, 'keyword', 'focus_keyword') ?? '',
    image: imageOf(textOf(file, 'image', 'featured_image')),
    author: textOf(file, 'author') ?? '',
    tags: listOf(file, 'tags'),
    date: dateOf(textOf(file, 'date')),
    unfinished: flagOf(file, 'draft') === true || flagOf(file, 'published') === false,
    markdown,
  };
}

function idOf(id: string | undefined): string | undefined {
  if (id === undefined || ID.test(id)) return id;
  throw new Error(`id ${quote(id)} must be made of letters, digits and . _ : -`);
}

function imageOf(image: string | undefined): string | null {
  if (image === undefined || image === '') return null;
  if (canonicalUrl(image) !== undefined) return image;
  throw new Error(`image ${quote(image, 200)} must be an absolute http(s) URL: the receiver gets no files`);
}

function dateOf(date: string | undefined): string | undefined {
  // As many generators write it, with a space for the T.
  const iso = date?.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?) ?/, '$1T$2');
  if (iso === undefined || iso === '' || isMoment(iso)) return iso || undefined;
  throw new Error(
    `date ${quote(date)} is not an ISO 8601 date; write it as 2026-11-19 or 2026-11-19T08:00:00Z`,
  );
}

/** A key that is on or off, in the words of YAML 1.1 too, which generators read; undefined where it is missing. */
function flagOf(file: MarkdownFile, key: string): boolean | undefined {
  const text = textOf(file, key)?.toLowerCase();
  if (text === undefined || text === '') return undefined;
  if (['true', 'yes', 'y', 'on', '1'].includes(text)) return true;
  if (['false', 'no', 'n', 'off', '0'].includes(text)) return false;
  throw new Error(`${key} ${quote(text)} is neither true nor false`);
}

/** What the file's name suggests: without a leading date; of `index.md` its folder's name. */
function nameOf(path: string): string {
  const name = basename(path).replace(/\.[^.]+$/, '');
  const telling = /^_?index$/i.test(name) ? basename(dirname(resolve(path))) : name;
  return telling.replace(/^\d{4}-\d\d-\d\d[-_]?(?=.)/, '');
}
