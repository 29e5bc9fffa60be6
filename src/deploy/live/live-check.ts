import { setTimeout } from 'node:timers/promises';
import { attributeOf, type HtmlToken, htmlTokens } from '../../article/html-tokens.js';
import { messageOf, quote } from '../../errors.js';
import { headEnd } from '../build/page-text.js';
import { isPrivateHost, type PublicAnswer, type PublicRequest, publicFetch } from './public-fetch.js';

/** An article that should be live. */
export interface ExpectedPage {
  readonly url: string;
  /** The script blocks that the head should have, verbatim; empty where there are none. */
  readonly jsonLd: string;
  /** The item comments that the page should have. */
  readonly comments: readonly string[];
}

export interface LiveCheckOptions {
  /** The site's address; nothing else is fetched. */
  readonly siteUrl: string;
  /** The pauses between the attempts, in milliseconds; the check is given up after the last one. */
  readonly pausesMs?: readonly number[];
  readonly resolve?: PublicRequest['resolve'];
}

/** Whether an article is live, or what is there instead. */
export type LiveResult = { readonly kind: 'live' } | { readonly kind: 'not-live'; readonly found: string };

/** About five minutes: hosts and their caches take seconds to minutes. */
const PAUSES_MS = [0, 200, 1_000, 3_000, 10_000, 30_000, 60_000, 60_000, 120_000];

const MAX_BYTES = 5_000_000;
const TIMEOUT_MS = 20_000;
const MOST_REDIRECTS = 5;

/** Fetches an article's page until it is as expected. @returns what was found at last where it never was. */
export async function awaitLive(
  page: ExpectedPage,
  options: LiveCheckOptions,
  signal: AbortSignal,
): Promise<LiveResult> {
  let found = '';
  for (const ms of options.pausesMs ?? PAUSES_MS) {
    await setTimeout(ms, undefined, { signal });
    try {
      const answer = await fetchPage(page.url, options, signal);
      const problem = 'problem' in answer ? answer.problem : problemOf(page, answer);
      if (problem === undefined) return { kind: 'live' };
      found = problem;
    } catch (error) {
      signal.throwIfAborted();
      found = messageOf(error);
    }
  }
  return { kind: 'not-live', found };
}

/** Fetches a page of the site. Redirects are followed within the site's own origin alone. */
async function fetchPage(
  pageUrl: string,
  { siteUrl, resolve }: LiveCheckOptions,
  signal: AbortSignal,
): Promise<PublicAnswer | { readonly problem: string }> {
  const site = new URL(siteUrl);
  let url = new URL(pageUrl);
  for (let redirects = 0; ; redirects++) {
    if (url.origin !== site.origin)
      return {
        problem: `${redirects === 0 ? 'its URL' : 'a redirect'} leads to ${url.origin}, which is not the site`,
      };
    const answer = await publicFetch(url, {
      method: 'GET',
      headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
      allowPrivate: isPrivateHost(site.hostname),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
      ...(resolve !== undefined && { resolve }),
    });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    if (redirects === MOST_REDIRECTS) return { problem: `more than ${MOST_REDIRECTS} redirects` };
    if (!URL.canParse(location, url.href)) return { problem: `a redirect to ${quote(location, 100)}` };
    url = new URL(location, url);
  }
}

/** What a page lacks; undefined where it is live as it should be. */
export function problemOf(
  { url, jsonLd, comments }: ExpectedPage,
  { status, headers, text }: PublicAnswer,
): string | undefined {
  if (status !== 200) return `the page answers ${status}`;
  const tokens = htmlTokens(text);
  const head = tokens.filter(({ start }) => start < (headEnd(tokens) ?? text.length));
  const robots = [headers['x-robots-tag'], ...metaRobots(text, head)].flat().join(', ').toLowerCase();
  if (/\b(?:noindex|none)\b/.test(robots)) return 'the page says noindex';
  const missing = comments.find((comment) => !hasComment(text, tokens, comment));
  if (missing !== undefined) return `the page does not have the item comment ${missing}`;
  const end = headEnd(tokens) ?? text.length;
  if (jsonLd !== '' && !text.slice(0, end).includes(jsonLd.trim()))
    return 'the head does not have the JSON-LD of the present text';
  const canonical = canonicalOf(text, head);
  if (canonical !== undefined && !isSameUrl(canonical, url))
    return `the page’s canonical link is ${quote(canonical, 200)}`;
  return undefined;
}

function hasComment(html: string, tokens: readonly HtmlToken[], comment: string): boolean {
  return tokens.some((token) => token.kind === 'comment' && html.slice(token.start, token.end) === comment);
}

/** The tags with a name in a head, as they are written. */
function* tagsNamed(html: string, head: readonly HtmlToken[], name: string): Generator<string> {
  for (const token of head)
    if (token.kind === 'open' && token.name === name) yield html.slice(token.start, token.end);
}

function* metaRobots(html: string, head: readonly HtmlToken[]): Generator<string> {
  for (const tag of tagsNamed(html, head, 'meta'))
    if (/^(?:robots|googlebot)$/i.test(attributeOf(tag, 'name')?.trim() ?? ''))
      yield attributeOf(tag, 'content') ?? '';
}

function canonicalOf(html: string, head: readonly HtmlToken[]): string | undefined {
  for (const tag of tagsNamed(html, head, 'link'))
    if ((attributeOf(tag, 'rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'))
      return attributeOf(tag, 'href');
  return undefined;
}

/** Whether a link means a URL. It may be relative, and written in other letters. */
function isSameUrl(link: string, url: string): boolean {
  return URL.canParse(link, url) && new URL(link, url).href === new URL(url).href;
}
