import { itemComment } from '../../article/article.js';
import { htmlTokens } from '../../article/html-tokens.js';
import { comparable, type Heading, headEnd, headingsOf, linesOf } from '../build/page-text.js';
import { addressesOfFile, filesOfAddress } from '../build/pages.js';
import type { TrialArticle } from './trial-articles.js';

/** A trial article in the copy of a site, and what was answered about it. */
export interface TrialPage {
  readonly article: Pick<TrialArticle, 'name' | 'fragment' | 'data'>;
  /** Its file, below the content folder. */
  readonly file: string;
  readonly url: string;
}

/** What a trial build has made. */
export interface TrialOutput {
  /** Without a trailing slash. */
  readonly siteUrl: string;
  readonly pages: readonly TrialPage[];
  /** The files of the output before there were trial articles. */
  readonly before: ReadonlySet<string>;
  /** The files of the output, completed by the step after the build: below its folder, with forward slashes. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What templates in the articles could find out, and what they would do to find it out. */
  readonly secrets: readonly { readonly text: string; readonly how: string }[];
}

/** What may be wrong with the pages of trial articles. */
export type FaultKind = 'no page' | 'title' | 'text' | 'ran' | 'comment' | 'json-ld' | 'page lost';

/** Something that is not as it was sent. */
export interface Fault {
  readonly kind: FaultKind;
  /** The hostile text with which it happened. */
  readonly fragment?: string | undefined;
  /** What exactly, and where: one sentence. */
  readonly text: string;
}

/** Judges the pages of trial articles: each is at its URL, shows what was sent, and nothing in it has run. */
export function judgeTrial(output: TrialOutput): Fault[] {
  const { siteUrl, pages, before, files } = output;
  const byFile = new Map<string, TrialPage>();
  const faults: Fault[] = [];
  const unclaimed = new Set([...files.keys()].filter((file) => /\.html?$/.test(file) && !before.has(file)));
  const homeless: TrialPage[] = [];
  for (const page of pages) {
    const address = page.url.startsWith(siteUrl) ? page.url.slice(siteUrl.length) : '';
    const file = filesOfAddress(address).find((name) => files.has(name));
    if (file === undefined) homeless.push(page);
    else {
      byFile.set(file, page);
      unclaimed.delete(file);
    }
  }
  for (const page of homeless) {
    const elsewhere = [...unclaimed].find((file) => isPageOf(String(files.get(file)), file, page));
    const where = elsewhere === undefined ? '' : `; it is at ${siteUrl}${addressesOfFile(elsewhere)[0]}`;
    faults.push({
      kind: 'no page',
      fragment: page.article.fragment,
      text: `${page.article.name}: the built site has no page at ${page.url}${where}`,
    });
  }
  for (const [file, page] of byFile)
    for (const fault of judgePage(String(files.get(file)), page))
      faults.push({ ...fault, fragment: page.article.fragment });
  return [...faults, ...leaks(output, byFile), ...lostPages(output)];
}

/** Whether a page seems to be that of an article: by its comment, or by the last part of its address. */
function isPageOf(html: string, file: string, { article, url }: TrialPage): boolean {
  const slug = /([^/]+?)(?:\.html?)?\/?$/.exec(url)?.[1] ?? '';
  return html.includes(commentOf(article)) || file.split(/[/.]/).includes(slug);
}

/** What is wrong with the page of one article. */
export function judgePage(html: string, { article }: TrialPage): Fault[] {
  const { name, data } = article;
  const faults: Fault[] = [];
  const title = comparable(data.title);
  const headings = headingsOf(html);
  // A heading of the text is not the title, but may hold the same words.
  const isTitle = ({ element, text }: Heading) =>
    element === 'title' || element === 'h1' ? comparable(text).includes(title) : comparable(text) === title;
  const titled = headings.filter(isTitle);
  const shown = headings.find(({ element }) => element !== 'title') ?? headings[0];
  if (titled.length === 0)
    faults.push({
      kind: 'title',
      text: `${name}: the title ${JSON.stringify(data.title)} is displayed as ${JSON.stringify(shown?.text ?? '')}`,
    });
  const heading = titled.find(({ element }) => element !== 'title');
  const lost = lostLine(linesOf(data.content_html), linesOf(html), heading?.text ?? '');
  if (lost !== undefined)
    faults.push({
      kind: 'text',
      text: `${name}: ${JSON.stringify(lost.line)} of its text is not displayed as it was sent${lost.shown === undefined ? '' : `, but as ${JSON.stringify(lost.shown)}`}`,
    });
  const comments = count(html, commentOf(article));
  if (comments !== 1)
    faults.push({ kind: 'comment', text: `${name}: the item comment is in the page ${times(comments)}` });
  if (data.json_ld === '') return faults;
  const end = headEnd(htmlTokens(html)) ?? html.length;
  const blocks = count(html, data.json_ld);
  if (blocks !== 1)
    faults.push({
      kind: 'json-ld',
      text: `${name}: the JSON-LD is in the page ${times(blocks)}, and not once and verbatim`,
    });
  else if (html.indexOf(data.json_ld) > end)
    faults.push({ kind: 'json-ld', text: `${name}: the JSON-LD is not in the head` });
  return faults;
}

/** The first line of a text that a page does not show behind its heading and the lines before it, and what stands there instead. */
function lostLine(
  expected: readonly string[],
  shown: readonly string[],
  heading: string,
): { readonly line: string; readonly shown: string | undefined } | undefined {
  const page = shown.map(comparable);
  const all = page.join('');
  const start = all.indexOf(comparable(heading));
  let at = start === -1 ? 0 : start + comparable(heading).length;
  for (const line of expected) {
    const wanted = comparable(line);
    const found = all.indexOf(wanted, at);
    if (found !== -1) {
      at = found + wanted.length;
      continue;
    }
    // The line of the page in which, or behind which, the last one was found.
    let end = 0;
    const next = page.findIndex((one) => {
      end += one.length;
      return end > at;
    });
    return { line, shown: next === -1 ? undefined : shown[next] };
  }
  return undefined;
}

/** Secrets and results of templates that are in the output. */
function leaks({ files, secrets }: TrialOutput, byFile: ReadonlyMap<string, TrialPage>): Fault[] {
  const faults: Fault[] = [];
  for (const [file, bytes] of files)
    for (const { text, how } of secrets) {
      if (!bytes.includes(text)) continue;
      const { name = file, fragment } = byFile.get(file)?.article ?? {};
      faults.push({ kind: 'ran', fragment, text: `${name}: ${how}` });
    }
  return faults;
}

function lostPages({ before, files }: TrialOutput): Fault[] {
  return [...before]
    .filter((file) => /\.x?html?$/.test(file) && !files.has(file))
    .map((file) => ({
      kind: 'page lost',
      text: `${addressesOfFile(file)[0]} is not built any more when there are articles`,
    }));
}

const commentOf = ({ data }: TrialPage['article']) => itemComment(data.id);

const count = (text: string, part: string) => text.split(part).length - 1;

const times = (number: number) => (number === 0 ? 'not at all' : number === 1 ? 'once' : `${number} times`);
