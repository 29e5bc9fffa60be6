import { randomBytes } from 'node:crypto';
import { type Document, isScalar, parseDocument, Scalar } from 'yaml';
import type { Article } from './article.js';
import { digestOf, encode, fileDigest } from './codec.js';
import { escapeUnprintable, literal, PORTABLE_YAML, quoted, quotedList } from './yaml-text.js';

/**
 * The file of an article that replaces the one in `previous`. Keys and comments that a person wrote stay,
 * in their order and place.
 *
 * @param previous the whole present file.
 * @param stored the same file, decoded.
 * @param next what it shall say; its `extra` is taken from the file, not from here.
 */
export function amend(previous: string, stored: Article, next: Article): string {
  // As `encode` laid it out, nothing of anyone else's is in it but the extra keys, which it keeps.
  if (encode(stored) === previous) return encode({ ...next, extra: stored.extra });

  const document = parseDocument(frontMatterText(previous));
  const inserted = new Map<string, string>();
  const digestMark = mark();
  for (const [key, yaml] of ownLines(next)) {
    if (yaml === undefined) document.delete(key);
    else setOwn(document, key, yaml, inserted);
  }
  setOwn(document, 'digest', digestMark, inserted);

  // Every own value goes in as a mark and is replaced in the text, so that both ways of writing a file use one encoder.
  let front = escapeUnprintable(document.toString(PORTABLE_YAML));
  for (const [placeholder, yaml] of inserted) front = front.replace(placeholder, () => yaml);
  const text = `---\n${front}---\n${next.body}`;
  return text.replace(digestMark, () => `"${fileDigest(text)}"`);
}

function frontMatterText(text: string): string {
  const lf = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  return lf.slice(lf.indexOf('\n') + 1, lf.indexOf('\n---', 3) + 1);
}

function ownLines(article: Article): [key: string, yaml: string | undefined][] {
  return [
    ['title', quoted(article.title)],
    ['description', quoted(article.description)],
    ['date', quoted(article.date)],
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
  const scalar = new Scalar(placeholder);
  scalar.type = Scalar.PLAIN;
  const present = document.get(key, true);
  if (isScalar(present)) {
    // A comment behind or above the value is the person's.
    if (present.comment) scalar.comment = present.comment;
    if (present.commentBefore) scalar.commentBefore = present.commentBefore;
  }
  document.set(key, scalar);
}

function mark(): string {
  return `pm${randomBytes(12).toString('hex')}`;
}
