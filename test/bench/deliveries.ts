import { sign } from '../../src/contract/signature.js';
import { createRandom } from '../support/random.js';

/** The signing secret of both sides. */
export const SECRET = 'a secret of the benchmark';

/** How many different texts there are; the same one again and again would flatter git and the disk. */
const TEXTS = 50;

const WORDS = `the a of and to in that it with as for was on are by this from at have not
article reader page index shelf mark folio margin binding catalogue archive edition printer column
slow careful early plain narrow bright common rare written finished printed folded kept found`.split(/\s+/);

/** An article as the service would send it: some 8 KB of HTML and 7 KB of Markdown. */
interface Text {
  readonly title: string;
  readonly html: string;
  readonly markdown: string;
}

function makeText(seed: number): Text {
  const random = createRandom('the texts of the benchmark', seed);
  const words = (count: number) => Array.from({ length: count }, () => random.pick(WORDS)).join(' ');
  const html: string[] = [];
  const markdown: string[] = [];
  for (let section = 0; section < 8; section++) {
    const heading = words(5);
    html.push(`<h2 id="s${section}">${heading}</h2>`);
    markdown.push(`## ${heading}`, '');
    for (let paragraph = 0; paragraph < 3; paragraph++) {
      const [start, link, end] = [words(25), words(3), words(25)];
      html.push(`<p>${start} <a href="https://example.org/${section}">${link}</a> <em>${end}</em>.</p>`);
      markdown.push(`${start} [${link}](https://example.org/${section}) *${end}*.`, '');
    }
  }
  return { title: words(7), html: html.join('\n'), markdown: markdown.join('\n') };
}

const texts = Array.from({ length: TEXTS }, (_, seed) => makeText(seed));

/** The `data` of the n-th article. */
export function articleData(n: number, publishedAt: string) {
  const text = texts[n % TEXTS] ?? makeText(n);
  const id = `bench-${n}`;
  const comment = `<!-- svc:item:${id} -->`;
  const schema = { '@context': 'https://schema.org', '@type': 'Article', headline: text.title };
  return {
    id,
    title: `${text.title} ${n}`,
    slug: `${text.title.replaceAll(' ', '-')}-${n}`,
    content_html: `${text.html}\n${comment}`,
    content_markdown: `${text.markdown}\n${comment}`,
    meta_description: `What ${text.title} is about`,
    focus_keyword: 'shelf mark',
    featured_image_url: `https://example.org/images/${n}.jpg`,
    tags: ['benchmark', `topic ${n % 20}`],
    author: 'A. Printer',
    published_at: publishedAt,
    json_ld: `<script type="application/ld+json">${JSON.stringify(schema)}</script>`,
  };
}

/** Lookups of these articles, as whole HTTP requests. */
export function signedLookups(urls: readonly string[]): Buffer[] {
  return urls.map((target_url) => signedEvent('article.lookup', { target_url }));
}

/** A request of the contract's version 2. */
export function signedEvent(event: string, data: object): Buffer {
  return request(event, { event, timestamp: '2026-11-19T08:00:00Z', contract_version: 2, data });
}

/**
 * Whole HTTP requests, headers and all, signed beforehand so that a measurement sends bytes and nothing else.
 *
 * @param image the address of the featured image. @default one that cannot be fetched
 */
export function signedRequests(from: number, count: number, image?: string): Buffer[] {
  const timestamp = '2026-11-19T08:00:00Z';
  return Array.from({ length: count }, (_, index) => {
    const article = articleData(from + index, timestamp);
    const data = { ...article, featured_image_url: image ?? article.featured_image_url };
    return request('article.published', { event: 'article.published', timestamp, data });
  });
}

function request(event: string, envelope: object): Buffer {
  const body = Buffer.from(JSON.stringify(envelope));
  const head = [
    'POST /webhook HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Service-Signature: ${sign(body, SECRET)}`,
    `X-Service-Event: ${event}`,
    'X-Service-Timestamp: 1795075200',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
}
