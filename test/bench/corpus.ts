import { draftOf } from '../../src/article/article.js';
import { encodeFirst } from '../../src/article/codec.js';
import { articleData } from './deliveries.js';

/** The address of the sites that are built. */
export const CORPUS_URL = 'https://example.com';

/** Bytes of HTML that an article has at least. */
const HTML_BYTES = 15_000;

/** An article of the corpus, for all generators the same. */
export interface CorpusArticle {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** ISO 8601. */
  readonly date: string;
  readonly tags: readonly string[];
  readonly html: string;
  /** Pressmark's article file. */
  readonly file: string;
  /** Below the content folder. */
  readonly path: string;
}

/** The n-th article: 15 KB of HTML, two tags. */
export function corpusArticle(n: number, of: number): CorpusArticle {
  // Ten minutes apart and all in the past, as generators leave out what is yet to come.
  const date = new Date(Date.UTC(2025, 0, 1) - (of - n) * 600_000).toISOString();
  const data = articleData(n, date);
  let html = data.content_html;
  for (let more = 1; html.length < HTML_BYTES; more++)
    html = `${articleData(n + more, date).content_html}\n${html}`;
  html = html.slice(html.indexOf('<h2', Math.max(0, html.length - HTML_BYTES - 500)));
  const tags = [`topic ${n % 20}`, `place ${n % 300}`];
  const article = { ...draftOf({ ...data, content_html: html, content_markdown: '', tags }) };
  const { slug, title, description } = article;
  const url = `${CORPUS_URL}/articles/${slug}/`;
  const { text: file } = encodeFirst({ ...article, url, updated: null });
  const [year, month] = date.split('-');
  return { slug, title, description, date, tags, html, file, path: `articles/${year}/${month}/${slug}.md` };
}
