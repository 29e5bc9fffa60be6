import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'yaml';
import { messageOf, PressmarkError } from '../errors.js';
import type { Article } from './article.js';
import { decode, digestOf, encode, fileDigest } from './codec.js';
import { yamlLibrary } from './front-matter/libraries.js';
import { extraLines, literal, quoted, quotedList } from './front-matter/yaml-text.js';

/**
 * The file of an article that replaces the one in `previous`. Keys and comments that a person wrote stay,
 * in their order and place.
 *
 * @param previous the whole present file.
 * @param stored the same file, decoded.
 * @param wanted the article as it shall be. Of its `extra`, only keys that differ from those of the file are written.
 * @throws PressmarkError ARTICLE_UNREADABLE where a person's YAML cannot be rewritten without loss.
 */
export function amend(previous: string, stored: Article, wanted: Article): string {
  const next = { ...wanted, extra: { ...stored.extra, ...wanted.extra } };
  // As `encode` laid it out, nothing of anyone else's is in it but the extra keys, which it keeps.
  if (encode(stored) === previous) return encode(next);

  const document = parseFront(previous);
  const inserted = new Map<string, string>();
  const digestMark = mark();
  for (const [key, yaml] of ownLines(next)) {
    if (yaml === undefined) document.delete(key);
    else setOwn(document, key, yaml, inserted);
  }
  const newExtra = Object.entries(next.extra).filter(
    ([key, value]) => !isDeepStrictEqual(stored.extra[key], value),
  );
  for (const [key] of newExtra) document.delete(key);
  setOwn(document, 'digest', digestMark, inserted);

  // Every own value goes in as a mark and is replaced in the text, so that both ways of writing a file use one encoder.
  let front = escapeUnprintable(document.toString(PORTABLE_YAML));
  for (const [placeholder, yaml] of inserted) front = front.replace(placeholder, () => yaml);
  const text = `---\n${front}${extraLines(Object.fromEntries(newExtra))}---\n${next.body}`;
  const amended = text.replace(digestMark, () => `"${fileDigest(text)}"`);
  requireFaithful(amended, next);
  return amended;
}

/** The front matter as a document in which own values can be set. */
function parseFront(text: string): Document {
  const { isMap, parseDocument, Scalar, visit } = yamlLibrary();
  const document = parseDocument(frontMatterText(text));
  const [error] = document.errors;
  // This parser keeps comments and is stricter than the one that reads, for instance about indentation.
  if (error !== undefined) {
    const line = (error.linePos?.[0].line ?? 0) + 1;
    throw unreadable(`line ${line}: ${error.message.split(/ at line |:?\n/, 1)[0]}`);
  }
  // In `{a: 1, b: 2}` no literal block can stand.
  if (isMap(document.contents)) document.contents.flow = false;
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && isUnprintable(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document;
}

/** A person can write YAML in more ways than we can foresee: what does not read back is not written. */
function requireFaithful(text: string, next: Article): void {
  let read: Article;
  try {
    read = decode(text, { id: next.id, slug: next.slug, url: () => next.url }).article;
  } catch (cause) {
    throw unreadable(messageOf(cause), cause);
  }
  if (!isDeepStrictEqual(read, next)) throw unreadable('it would not read back as it was');
}

function unreadable(reason: string, cause?: unknown): PressmarkError {
  const message = `the article's front matter cannot be rewritten, ${reason}; write it more plainly`;
  return new PressmarkError('ARTICLE_UNREADABLE', message, { cause });
}

function frontMatterText(text: string): string {
  const lf = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return lf.slice(lf.indexOf('\n') + 1, lf.indexOf('\n---', 3) + 1);
}

function ownLines(article: Article): [key: string, yaml: string | undefined][] {
  return [
    ['title', quoted(article.title)],
    ['description', quoted(article.description)],
    ['date', article.date === '' ? undefined : quoted(article.date)],
    ['updated', article.updated === null ? undefined : quoted(article.updated)],
    ['author', quoted(article.author)],
    ['tags', quotedList(article.tags)],
    ['keyword', quoted(article.keyword)],
    ['image', article.image === null ? undefined : quoted(article.image)],
    ['slug', quoted(article.slug)],
    ['id', quoted(article.id)],
    ['revision', quoted(article.revision)],
    ['url', quoted(article.url)],
    ['body_digest', quoted(digestOf(article.body))],
    ['json_ld', literal(article.jsonLd)],
    ['content_html', literal(article.contentHtml)],
  ];
}

function setOwn(document: Document, key: string, yaml: string, inserted: Map<string, string>): void {
  const placeholder = mark();
  inserted.set(placeholder, yaml);
  const { isScalar, Scalar } = yamlLibrary();
  const scalar = new Scalar(placeholder);
  scalar.type = Scalar.PLAIN;
  const present = document.get(key, true);
  if (isScalar(present)) {
    // A comment behind or above the value is the person's. Behind a literal block it would become text.
    const isBlock = yaml.startsWith('|');
    if (present.comment && !isBlock) scalar.comment = present.comment;
    const above = [present.commentBefore, isBlock && present.comment].filter(Boolean);
    if (above.length > 0) scalar.commentBefore = above.join('\n');
  }
  document.set(key, scalar);
}

function mark(): string {
  return `pm${randomBytes(12).toString('hex')}`;
}

const PORTABLE_YAML = {
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  lineWidth: 0,
  doubleQuotedMinMultiLineLength: 1e9,
} as const;

const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

function isUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE) !== -1;
}

function escapeUnprintable(yaml: string): string {
  return yaml.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
