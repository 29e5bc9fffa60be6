import fs from 'node:fs';
import { join, relative } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { PublishedData } from '../../support/events.js';
import type { Sample } from './articles.js';
import {
  attribute,
  codeBlocks,
  codeBlocksOfHtml,
  elements,
  type Page,
  sameHtml,
  textOf,
  textOfHtml,
  typed,
} from './page.js';

/** What the layouts of a site make of an article. */
export interface SiteLayout {
  /** A text of the site's own frame around every page. */
  readonly marker: string;
  /** How the site writes a date; in its own time zone. */
  day(iso: string): string;
  /** Whether white space that no reader sees may differ from that of an HTML body. @default false */
  readonly collapsesSpace?: boolean;
  /** How many blocks of JSON-LD the site's own layout has in each article's head. @default 0 */
  readonly ownJsonLd?: number;
  /** Whether an article without Markdown has a file of HTML, which is printed byte for byte. @default false */
  readonly printsHtml?: boolean;
  /** The name that the site shows for the author of an article; undefined where it shows none. */
  byline?(author: string): string;
  /** How the site spells a tag that an article has. @default as sent */
  readonly spelling?: Readonly<Record<string, string>>;
}

/** Checks one article's page: its frame, title, tags, body, item comment and JSON-LD. */
export function checkPage(t: ExecutionContext, page: Page, sample: Sample, layout: SiteLayout): void {
  const { data, name } = sample;
  const { html } = page;
  t.true(html.includes(layout.marker), `${name}: the frame of the site's layout`);
  if (page.article === undefined) {
    t.fail(`${name}: there is no article element; the page starts with ${html.slice(0, 300)}`);
    return;
  }
  const titles = elements(page.article, 'h1').map(textOf);
  t.is(titles[0], typed(data.title).replace(/\s+/g, ' ').trim(), `${name}: the title`);
  if (sample.tagged) {
    const tags = data.tags.map((tag) => layout.spelling?.[tag] ?? tag);
    t.deepEqual(
      tagsOf(page),
      tags.map((tag) => typed(tag).replace(/\s+/g, ' ')),
      `${name}: the tags`,
    );
  }
  const isPrinted = layout.printsHtml === true && sample.form === 'html' && sample.isHtmlInMarkdown !== true;
  if (isPrinted && !html.includes(data.content_html))
    t.is(html, data.content_html, `${name}: its HTML, byte for byte`);
  checkBody(t, page, sample, layout.collapsesSpace === true || sample.isHtmlInMarkdown === true);
  const comment = `<!-- svc:item:${data.id} -->`;
  t.is(html.split(comment).length - 1, 1, `${name}: ${comment} is in the page once`);
  checkJsonLd(t, page, data, name, layout.ownJsonLd ?? 0);
}

/** Checks that a page shows when its article was published first. */
export function checkDate(
  t: ExecutionContext,
  { article }: Page,
  { data, name }: Sample,
  { day }: SiteLayout,
): void {
  const dates = article === undefined ? [] : elements(article, 'time').map(textOf);
  t.is(dates[0], day(data.published_at), `${name}: the date`);
}

/** Checks that a page shows who has written its article, as far as the site knows that author. */
export function checkByline(
  t: ExecutionContext,
  { article }: Page,
  { data, name }: Sample,
  { byline }: SiteLayout,
): void {
  if (byline === undefined || article === undefined) return;
  const [shown] = elements(article, 'p').filter((one) => attribute(one, 'class') === 'byline');
  t.is(shown && textOf(shown), byline(data.author), `${name}: the byline`);
}

/** Checks that the plugin of the site has added to a page, once, and that what cannot run has not. */
export function checkAdditions(t: ExecutionContext, html: string, { name }: Sample, path: string): void {
  const times = (text: string, part: string) => text.split(part).length - 1;
  const head = html.slice(0, html.indexOf('</head>'));
  t.is(times(head, '<meta name="about" content="article">'), 1, `${name}: what page.head adds`);
  t.is(times(html, `<body data-path="${path}"`), 1, `${name}: what page.html adds`);
  t.false(html.includes('never'), `${name}: what page.content adds`);
}

/** The names of an article's tags, which the site's layout links to their pages. */
function tagsOf({ article }: Page): string[] {
  if (article === undefined) return [];
  const links = elements(article, 'a').filter((link) => (attribute(link, 'href') ?? '').includes('/tags/'));
  return links.map(textOf);
}

/** Checks that a page shows an article's body and what is in it as sent. */
function checkBody(
  t: ExecutionContext,
  { article }: Page,
  { data, form, name }: Sample,
  collapsed: boolean,
): void {
  if (article === undefined) {
    t.fail(`${name}: there is no article element`);
    return;
  }
  const shown = textOf(article);
  for (const part of shownAnyway(textOfHtml(data.content_html), form))
    if (!shown.includes(part) && !wordsOf(shown).includes(wordsOf(part)))
      t.is(shown, part, `${name}: the text`);
  t.true(shown !== '', `${name}: a text`);
  const blocks = codeBlocks(article);
  const unindented = data.content_html.replace(/<pre><code>[\s\S]*?<\/code><\/pre>/g, '');
  for (const block of codeBlocksOfHtml(form === 'html' ? data.content_html : unindented))
    if (!blocks.includes(block)) t.is(blocks.join('\n----\n'), block, `${name}: a block of code`);
  if (form === 'html') {
    const body = sameHtml(data.content_html, collapsed);
    const all = sameHtml(article, collapsed);
    if (!all.includes(body)) t.is(all, body, `${name}: the HTML`);
  }
}

/**
 * The parts of a text that the page must show, word by word. Markdown is stored as it was sent: about hostile texts in it,
 * the site's dialect decides, as in every post that a person writes.
 */
function shownAnyway(expected: string, form: Sample['form']): string[] {
  const around = ['In a sentence', 'of a paragraph', 'In a code span', 'The last word'];
  const isHostile = form === 'markdown' && around.every((part) => expected.includes(part));
  return isHostile ? around : [expected];
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? '';

function checkJsonLd(
  t: ExecutionContext,
  page: Page,
  { json_ld }: PublishedData,
  name: string,
  own: number,
): void {
  if (json_ld === '') return;
  t.is(page.html.split(json_ld).length - 1, 1, `${name}: the JSON-LD is in the page verbatim, once`);
  const inHead = page.head === undefined ? [] : elements(page.head, 'script');
  const types = inHead.map((script) => attribute(script, 'type'));
  const sent = json_ld.split('<script').length - 1 + own;
  t.is(types.filter((type) => type === 'application/ld+json').length, sent, `${name}: JSON-LD in the head`);
}

/** The files of a folder, by path, sorted. */
export function filesBelow(folder: string): Map<string, Buffer> {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((path) => [relative(folder, path), fs.readFileSync(path)]));
}

/** Files of the output, compared with those of the site without Pressmark. */
export interface Difference {
  readonly gone: readonly string[];
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** Compares two builds, byte for byte. */
export function difference(
  before: ReadonlyMap<string, Buffer>,
  after: ReadonlyMap<string, Buffer>,
): Difference {
  return {
    gone: [...before.keys()].filter((path) => !after.has(path)),
    changed: [...before]
      .filter(([path, bytes]) => after.get(path)?.equals(bytes) === false)
      .map(([path]) => path),
    added: [...after.keys()].filter((path) => !before.has(path)),
  };
}

/** Checks that a secret is in none of the files, and none of Pressmark's own files among them. */
export function checkNothingPrivate(
  t: ExecutionContext,
  output: ReadonlyMap<string, Buffer>,
  secret: string,
): void {
  t.true(secret.length > 20);
  const leaks = [...output].filter(([, bytes]) => bytes.includes(secret)).map(([path]) => path);
  t.deepEqual(leaks, [], 'the secret of .env is in no file of the output');
  const own =
    /(?:^|\/)(?:\.env|\.pressmark|pressmark\.config\.[a-z]+|package(?:-lock)?\.json|plugins\/|node_modules\/)/;
  t.deepEqual(
    [...output.keys()].filter((path) => own.test(path)),
    [],
    'no file of Pressmark is in the output',
  );
}
