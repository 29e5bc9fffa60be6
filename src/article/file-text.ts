import { hash } from 'node:crypto';
import type { Article } from './article.js';
import { extraLines, literal, quoted, quotedList } from './front-matter/yaml-text.js';
import { withLf } from './line-ends.js';

/** The text of an article's file, as a string and in UTF-8. */
interface FileText {
  readonly revision: string;
  /** Only put together where somebody reads it. */
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** UTF-8 takes at most so many bytes for one unit of a string. */
const BYTES_A_UNIT = 3;
/** Longer than the lines of `digest` and `body_digest`, and that of a revision that is made from the digest. */
const DIGEST_LINES_BYTES = 1_000;

/**
 * Makes the text of an article's file. Its digests are of bytes that follow each other in the file but for two lines: it is
 * written in the order in which they become known, from the long texts back to the first line, so that nothing is copied
 * to be digested.
 *
 * @param given the article's revision; without one it is made from everything else that stands in the file.
 */
export function fileText(article: Omit<Article, 'revision'>, given: string | undefined): FileText {
  const { body } = article;
  const head = headOf(article);
  const url = `url: ${quoted(article.url)}\n`;
  const blocks = `json_ld: ${literal(article.jsonLd)}\ncontent_html: ${literal(article.contentHtml)}\n---\n`;

  const room = DIGEST_LINES_BYTES + BYTES_A_UNIT * (head.length + url.length + quoted(given ?? '').length);
  const memory = Buffer.allocUnsafe(room + BYTES_A_UNIT * (blocks.length + body.length));
  const putBefore = (text: string, end: number) => {
    const start = end - Buffer.byteLength(text);
    memory.write(text, start);
    return start;
  };
  const bodyStart = room + memory.write(blocks, room);
  // No other part holds another line end than LF.
  const lfBody = withLf(body);
  const lfEnd = bodyStart + memory.write(lfBody, bodyStart);
  const bodyDigest = `body_digest: "sha256-${hash('sha256', memory.subarray(bodyStart, lfEnd))}"\n`;
  const blocksStart = putBefore(bodyDigest, room);
  const digest = hash('sha256', memory.subarray(putBefore(`${head}${url}`, blocksStart), lfEnd));
  const revision = given ?? `rev-${digest.slice(0, 24)}`;
  const top = `${head}revision: ${quoted(revision)}\n${url}digest: "sha256-${digest}"\n`;
  const start = putBefore(top, blocksStart);
  const end = lfBody === body ? lfEnd : bodyStart + memory.write(body, bodyStart);
  return {
    revision,
    text: `${top}${bodyDigest}${blocks}${body}`,
    bytes: memory.subarray(start, end),
  };
}

function headOf(article: Omit<Article, 'revision'>): string {
  return [
    '---\n',
    `title: ${quoted(article.title)}\n`,
    `description: ${quoted(article.description)}\n`,
    article.date === '' ? '' : `date: ${quoted(article.date)}\n`,
    article.updated === null ? '' : `updated: ${quoted(article.updated)}\n`,
    `author: ${quoted(article.author)}\n`,
    `tags: ${quotedList(article.tags)}\n`,
    `keyword: ${quoted(article.keyword)}\n`,
    article.image === null ? '' : `image: ${quoted(article.image)}\n`,
    `slug: ${quoted(article.slug)}\n`,
    extraLines(article.extra),
    `id: ${quoted(article.id)}\n`,
  ].join('');
}
