import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { escapeUTF8 } from 'entities';
import { compared } from '../../src/app/articles/person/compare.js';
import { readEntered } from '../../src/app/articles/person/entered.js';
import { readHead } from '../../src/app/build/addresses/match-pages.js';
import { slugOf } from '../../src/article/address/slug.js';
import { assetsNamedIn } from '../../src/article/asset.js';
import { editFrontMatter } from '../../src/article/front-matter/edit.js';
import { cutFrontMatter, readFrontMatter } from '../../src/article/front-matter/read.js';
import { closedHtml } from '../../src/article/text/closed-html.js';
import { htmlTokens } from '../../src/article/text/html-tokens.js';
import { canonicalUrl } from '../../src/contract/canonical-url.js';
import { itemComments } from '../../src/contract/item-comment.js';
import { DEFAULT_SERVICE } from '../../src/contract/service.js';
import { completePage } from '../../src/deploy/build/postbuild.js';
import { problemOf } from '../../src/deploy/live/page-problem.js';
import { isSafeMarkdown } from '../../src/generators/astro/mapping.js';
import { storedBody as storedDocusaurusBody } from '../../src/generators/docusaurus/mapping.js';
import { harmlessHtml } from '../../src/generators/eleventy/mapping.js';
import { storedBody as storedHexoBody } from '../../src/generators/hexo/mapping.js';
import { storedBody } from '../../src/generators/hugo/mapping.js';
import { storedBody as storedJekyllBody } from '../../src/generators/jekyll/mapping.js';
import { hasTags, linkedAddresses, needsHtml } from '../../src/generators/mapping/markdown.js';
import { storedBody as storedFolderBody } from '../../src/generators/markdown-folder/mapping.js';
import { storedBody as storedVitePressBody } from '../../src/generators/vitepress/mapping.js';
import { composeUpdate } from '../../src/sender/article/compose.js';
import type { Draft } from '../../src/sender/article/draft.js';
import { splitFrontMatter } from '../../src/sender/article/front-matter.js';
import { excerptOf, lengthOf, textOfHtml } from '../../src/site/index/html-text.js';
import { withCodeColours } from '../../src/site/render/code-colours.js';
import { withHeadings } from '../../src/site/render/headings.js';
import { HOSTILE_TEXTS, type HostileText } from '../support/hostile.js';
import { milliseconds, type Row } from './figures.js';

/** In characters. Each is twice the one before. */
const LENGTHS = [32, 64, 128, 256, 512].map((kib) => kib * 1_024);

/** A text that took longer is not tried at the next length, in milliseconds. */
const LONGEST_MS = 1_000;

/** Figures below this are noise, in milliseconds: they say nothing of the growth. */
const LEAST_MS = 20;

/** Time that grows with the length doubles; caches and the collector of garbage take their part. */
const GROWTH = 3;

/** A growth above the limit is measured so often: the collector of garbage, or another program, may have come in between. */
const MOST_ROUNDS = 5;

const site = 'https://garden.example';
const page = { url: `${site}/a/`, jsonLd: '', comments: [] };
const draft: Draft = {
  id: undefined,
  title: 'A',
  slug: 'a',
  description: '',
  keyword: '',
  image: null,
  author: '',
  tags: [],
  date: undefined,
  publishDate: undefined,
  expiryDate: undefined,
  unfinished: false,
  warnings: [],
  oldUrls: [],
  markdown: 'A',
};
const connector = {
  name: 'a',
  url: site,
  secret: 'x',
  key: '0123456789abcdef',
  author: '',
  application: 'A',
  tracking: null,
  service: DEFAULT_SERVICE,
  earlier: [],
  baseUrl: null,
};

/** A text's beginning with an end that no other text has: it is nearly there at many places. */
const nearly = (text: string) => `${text.slice(0, text.length / 8)}\u0001`;

const fieldsOf = (body: string) => ({
  title: 'A',
  description: body,
  tags: [],
  author: '',
  image: null,
  body,
});

/** A text of which every sixteenth line is another. */
const changed = (text: string) =>
  text
    .split('\n')
    .map((line, n) => (n % 16 === 0 ? `${line}!` : line))
    .join('\n');

function composed(markdown: string, html: string): unknown {
  const target = { id: 'a', url: page.url, revision_id: 'r', title: 'A', content_html: html };
  return composeUpdate({ ...draft, markdown }, connector, target, 'd', '2026-01-01T00:00:00Z');
}

/** Everything that reads the text of an article or of a page. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'tags of HTML': htmlTokens,
  'attributes of a tag': (text) => htmlTokens(`<a ${text}>`),
  'live check': (text) =>
    problemOf(
      { ...page, jsonLd: nearly(text), comments: itemComments(text) },
      { status: 200, robots: text, text },
    ),
  'live check of a tag': (text) =>
    problemOf(page, {
      status: 200,
      robots: '',
      text: `<meta name=robots content='${text.replaceAll("'", '')}'>`,
    }),
  'completion of a page': (text) =>
    completePage(text, nearly(text), [
      '<!-- svc:item:a -->',
      ...itemComments(text).map((one) => `${one.slice(0, -4)}x -->`),
    ]),
  'completion with JSON-LD': (text) =>
    completePage(`<head>${text}</head>`, `<script type="application/ld+json">${text}</script>`, []),
  'titles of a page': (text) => readHead(text),
  'the title of a page': (text) => readHead(`<title>${text}</title><h1>${text}`),
  'colours of code': (text) =>
    withCodeColours(`<pre><code class="language-js">${text.replaceAll('<', '&lt;')}</code></pre>`),
  headings: (html) => withHeadings({ html, toc: [], extra: { toc: true } }, { toc: 1 }),
  'text of HTML': textOfHtml,
  excerpt: excerptOf,
  'reading time': lengthOf,
  'front matter of a file': cutFrontMatter,
  'body behind front matter': (text) => readFrontMatter(`---\na: b\n---\n${text}`),
  'front matter in YAML': (text) => readFrontMatter(`---\n${text}\n---\n`),
  'a value in YAML': (text) => readFrontMatter(`---\na: ${text}\n---\n`),
  'front matter in TOML': (text) => readFrontMatter(`+++\n${text}\n+++\n`),
  'front matter in JSON': (text) => readFrontMatter(`{"a": ${text}}\n`),
  'edit of YAML': (text) => edited(`---\na: ${JSON.stringify(text)}\nb: c\n---\n`),
  'edit of TOML': (text) => edited(`+++\na = ${JSON.stringify(text)}\nb = "c"\n+++\n`),
  'edit of JSON': (text) => edited(`${JSON.stringify({ a: text, b: 'c' }, null, 1)}\n`),
  'item comments': itemComments,
  'composition of HTML': (text) => composed('A', text),
  'composition of Markdown': (text) => composed(text, '<p>A'),
  'file of the sender': (text) => splitFrontMatter(`---\n${text}\n---\n`),
  'closed HTML': closedHtml,
  'tags in Markdown': hasTags,
  'open elements in Markdown': needsHtml,
  'addresses in Markdown': linkedAddresses,
  'Markdown for Hugo': (text) => storedBody({ kind: 'markdown', markdown: text, html: '' }, 'a.md', true),
  'HTML for Hugo': (text) => storedBody({ kind: 'html', html: `<!--more-->${text}` }, 'a.md', true),
  'HTML for Jekyll': (text) => storedJekyllBody({ kind: 'html', html: text }, 'a.html', false, false),
  'HTML in Markdown': (text) => storedJekyllBody({ kind: 'html', html: text }, 'a.md', false, true),
  'HTML for Eleventy': (text) => harmlessHtml(text, { elements: ['a', 'img'], ids: [] }),
  'Markdown for Astro': (text) => isSafeMarkdown(text, true),
  'Markdown for Hexo': (text) => storedHexoBody({ kind: 'markdown', markdown: text, html: '' }, 'a.md'),
  'HTML for Hexo': (text) => storedHexoBody({ kind: 'html', html: text }, 'a.md'),
  'Markdown for VitePress': (text) =>
    storedVitePressBody({ kind: 'markdown', markdown: text, html: '' }, false),
  'HTML for VitePress': (text) => storedVitePressBody({ kind: 'html', html: text }, false),
  'Markdown for Docusaurus': (text) => storedDocusaurusBody({ kind: 'markdown', markdown: text, html: '' }),
  'HTML for Docusaurus': (text) => storedDocusaurusBody({ kind: 'html', html: text }),
  'Markdown for a folder': (text) =>
    storedFolderBody({ kind: 'markdown', markdown: text, html: '' }, { rawHtml: true }),
  'two versions': (text) => compared(fieldsOf(text), fieldsOf(changed(text))),
  'two other versions': (text) => compared(fieldsOf(text), fieldsOf(text.split('').reverse().join(''))),
  'form of a person': (text) => readEntered({ ...fieldsOf(text), title: text, tags: text.split(' ') }),
  'form with one tag': (text) => readEntered({ title: 'A', tags: [text], author: text }),
  'text in a form': (text) => escapeUTF8(text),
  'files of an article': (text) => assetsNamedIn(`${text}media/00/${text}`),
  slug: (text) => slugOf('', text, 'a'),
  'canonical URL': (text) => canonicalUrl(`${site}/${text}`),
  host: (text) => canonicalUrl(`https://${text}`),
};

/** It parses all Markdown, for which the time of every parser may grow faster; it is the sender's. */
const LIMITED = new Set(['composition of Markdown']);

const repeated =
  (piece: string): HostileText =>
  (length) =>
    piece.repeat(Math.ceil(length / piece.length));

const TEXTS: Readonly<Record<string, HostileText>> = {
  ...HOSTILE_TEXTS,
  'open headings': repeated('<h1>'),
  'open line breaks': repeated('<br '),
  'open footnotes': repeated('[^a\n'),
  'elements of raw text': repeated('<noscript><iframe>'),
  'closed headings': repeated('<h2>a</h2>'),
  declarations: repeated('<!'),
  'empty comments': repeated('<!---->'),
  'JSON-LD': repeated('<script type="application/ld+json">{}</script>'),
  'a long name': (length) => `<${'a'.repeat(length)}`,
  'single quotes': repeated("<a b='"),
  'rules for crawlers': repeated('noindexing: a,'),
  'open references': repeated('&a'),
  spaces: repeated(' '),
  'open lists': repeated('[1,'),
  'open objects': repeated('{"a":'),
  keys: (length) => Array.from({ length: length / 8 }, (_, n) => `a${n}: 1\n`).join(''),
  assignments: (length) => Array.from({ length: length / 8 }, (_, n) => `a${n} = 1\n`).join(''),
  'tables of TOML': repeated('[[a]]\n'),
  fences: repeated('---\n'),
  'comments in a script': (length) => `<script>${repeated('<!--')(length)}`,
  'classes of code': (length) => `<pre><code class="e${repeated(' lang-a')(length)}">`,
  'a first line of tabs': (length) => `---a${repeated('\t')(length)}\v`,
  'comments of YAML': (length) => `a: 1${repeated(' #')(length)}\u2028\n`,
  'codes of languages': repeated('*\t~~~ '),
  'byte order marks': repeated('\ufeff---\n'),
  'names of files': repeated('media/00/'),
  ampersands: repeated('&'),
  'some lines': (length) =>
    Array.from({ length: 400 }, (_, n) => 'a'.repeat(length / 400) + (n % 7)).join('\n'),
};

function edited(text: string): string {
  return editFrontMatter(text, [{ key: 'b', value: 'd' }]);
}

/** The processor's time for one reading, the less of two where it is short, in milliseconds. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const once = () => {
    const before = process.cpuUsage();
    try {
      read(text);
    } catch {
      // a text that is refused counts as well
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const time = once();
  return time > LONGEST_MS / 10 ? time : Math.min(time, once());
}

/** The times for the text at each length, up to the first that took too long. */
function timesOf(read: (text: string) => unknown, make: HostileText): number[] {
  const times: number[] = [];
  for (const length of LENGTHS) if ((times.at(-1) ?? 0) < LONGEST_MS) times.push(timeOf(read, make(length)));
  return times;
}

/**
 * By how much the time grew when the length doubled, of the three longest: short texts fit the caches. Undefined where all
 * went too quickly to tell.
 */
function growthOf(times: readonly number[]): number | undefined {
  const longest = times.slice(-3);
  const [first = 0, last = 0] = [longest[0], longest.at(-1)];
  return last < LEAST_MS ? undefined : (last / first) ** (1 / (longest.length - 1));
}

interface Figures {
  /** A table in Markdown. */
  readonly text: string;
  readonly rows: Row[];
}

/**
 * How the time of each reader of an article or a page grows with the length of its text. They are measured in a thread with
 * much room for new objects: else a long text's outlive their generation, and the time of the collector, which copies them,
 * seems to be the reader's.
 */
export async function hostile(): Promise<Figures> {
  const worker = new Worker(new URL(import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 1_024, maxOldGenerationSizeMb: 4_096 },
  });
  const [figures] = (await once(worker, 'message')) as [Figures];
  return figures;
}

/** How the time of each reader grows with the length of the worst text for it. */
function measured(): Figures {
  const rows: Row[] = [];
  const lines = Object.entries(READERS).map(([name, read]) => {
    const found = Object.entries(TEXTS).map(([shape, make]) => {
      let times = timesOf(read, make);
      for (let round = 2; (growthOf(times) ?? 0) > GROWTH && round <= MOST_ROUNDS; round++) {
        const again = timesOf(read, make);
        times = times.map((time, n) => Math.min(time, again[n] ?? time));
      }
      return { shape, times, growth: growthOf(times) };
    });
    const worst = found.toSorted(
      (a, b) => (b.growth ?? 0) - (a.growth ?? 0) || Math.max(...b.times) - Math.max(...a.times),
    );
    const [{ shape = '', times = [], growth = undefined } = {}] = worst;
    const shown = [...times.map(milliseconds), ...LENGTHS]
      .slice(0, LENGTHS.length)
      .map((one) => (typeof one === 'string' ? one : ''));
    console.error(`hostile ${name}: ${shape} ${growth?.toFixed(1) ?? 'too quick to tell'}`);
    if (!LIMITED.has(name))
      rows.push({
        what: `${name}: growth of the time when the length doubles`,
        ours: shown.at(-1) ?? '',
        against: shown[0] ?? '',
        ...(growth !== undefined && { ratio: growth, goal: { kind: 'at most', value: GROWTH } }),
      });
    const limit = LIMITED.has(name) ? ' (parses all Markdown)' : '';
    return `| ${[name + limit, shape, ...shown, growth?.toFixed(1) ?? ''].join(' | ')} |`;
  });
  const heads = LENGTHS.map((length) => `${length / 1_024} KB`).join(' | ');
  const text = [
    `| reader | the worst of ${Object.keys(TEXTS).length} texts | ${heads} | growth when the length doubles |`,
    `|---|---|${'---|'.repeat(LENGTHS.length + 1)}`,
    ...lines,
  ].join('\n');
  return { text, rows };
}

if (!isMainThread) parentPort?.postMessage(measured());
