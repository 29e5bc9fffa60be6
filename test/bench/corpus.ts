import { draftOf } from '../../src/article/article.js';
import { encode } from '../support/plain-files.js';
import { articleData } from './deliveries.js';

/** The address of the sites that are built. */
export const CORPUS_URL = 'https://example.com';

/** Bytes of HTML that an article has at least. */
const HTML_BYTES = 15_000;

/** An article of the corpus, for all generators the same. */
export interface CorpusArticle {
  readonly slug: string;
  readonly html: string;
  /** The article file as the receiver stores it. */
  readonly file: string;
  /** Below the content folder. */
  readonly path: string;
}

/** The n-th article of a site: 15 KB of HTML and the same text in Markdown, two tags. */
export function corpusArticle(n: number, of: number, siteUrl = CORPUS_URL): CorpusArticle {
  // Ten minutes apart and all in the past, as generators leave out what is yet to come.
  const date = new Date(Date.UTC(2025, 0, 1) - (of - n) * 600_000).toISOString();
  const data = articleData(n, date);
  let { content_html: html, content_markdown: markdown } = data;
  for (const { html: more, markdown: same } of sectionsOf(articleData(n + 1, date))) {
    if (html.length >= HTML_BYTES) break;
    html = `${more}${html}`;
    markdown = `${same}${markdown}`;
  }
  const tags = [`topic ${n % 20}`, `place ${n % 300}`];
  const draft = draftOf({ ...data, content_html: html, content_markdown: markdown, tags });
  const { slug } = draft;
  const { text: file } = encode({ ...draft, url: `${siteUrl}/articles/${slug}/`, updated: null });
  const [year, month] = date.split('-');
  return { slug, html, file, path: `articles/${year}/${month}/${slug}.md` };
}

/** All articles of a site. */
export function* corpus(articles: number): Generator<CorpusArticle> {
  for (let n = 0; n < articles; n++) yield corpusArticle(n, articles);
}

/** The sections of an article's text, without what stands behind the last one. */
function sectionsOf({ content_html, content_markdown }: ReturnType<typeof articleData>) {
  const [html, markdown] = [content_html.split(/(?=<h2)/), content_markdown.split(/(?=^## )/m)];
  return html.slice(0, -1).map((section, index) => ({ html: section, markdown: markdown[index] ?? '' }));
}
