import { attributeOf, type HtmlToken, htmlTokens, type OpenToken } from '../../article/text/html-tokens.js';
import { quote } from '../../errors.js';
import { commentsOf, headEnd, placesOf } from '../build/page-text.js';
import type { TextAnswer } from '../fetch-text.js';

/** An article that should be live. */
export interface ExpectedPage {
  readonly url: string;
  /** The expected script blocks of the head, verbatim; empty if there are none. */
  readonly jsonLd: string;
  /** The expected item comments. */
  readonly comments: readonly string[];
  /** Whether the page may have noindex. @default false */
  readonly noindex?: boolean;
  /** The expected canonical link. @default the page's own URL, or none */
  readonly canonical?: string;
}

/** The problem of a page; undefined if it is live and right. Takes linear time. */
export function problemOf(
  { url, jsonLd, comments, noindex = false, canonical: meant }: ExpectedPage,
  { status, robots, text }: TextAnswer,
): string | undefined {
  if (status !== 200) return `the page answers ${status}`;
  const tokens = htmlTokens(text);
  const end = headEnd(tokens) ?? text.length;
  const head = tokens.filter(({ start }) => start < end);
  const isHidden = [robots, ...metaRobots(text, head)].some(forbidsIndex);
  if (isHidden && !noindex) return 'the page has noindex';
  if (noindex && !isHidden) return 'the page does not have noindex, which the article’s front matter sets';
  const there = commentsOf(text, tokens);
  const missing = comments.find((comment) => !there.has(comment));
  if (missing !== undefined) return `the page does not have the item comment ${missing}`;
  if (jsonLd !== '' && placesOf(text.slice(0, end), jsonLd.trim()).next().done === true)
    return 'the head does not have the JSON-LD of the present text';
  const canonical = canonicalOf(text, head);
  if (canonical === undefined && meant !== undefined)
    return `the page has no canonical link, and the article’s front matter names ${quote(meant, 200)}`;
  if (canonical !== undefined && !isSameUrl(canonical, meant ?? url))
    return `the page’s canonical link is ${quote(canonical, 200)}`;
  return undefined;
}

/** The expectations from an article's front matter: `noindex: true`, and the URL `canonical`. */
export function meantFor(
  extra: Readonly<Record<string, unknown>>,
): Pick<ExpectedPage, 'noindex' | 'canonical'> {
  const { noindex, canonical } = extra;
  const isUrl = typeof canonical === 'string' && /^https?:/i.test(canonical) && URL.canParse(canonical);
  return { ...(noindex === true && { noindex }), ...(isUrl && { canonical }) };
}

/** The crawlers whose rules count, besides the rules for all. */
const CRAWLERS = /^(?:robots|googlebot)$/;

/** Rules with a value after a colon; any other name before a colon is a crawler. */
const WITH_VALUE = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)$/;

/**
 * Whether crawler rules, from an `X-Robots-Tag` header or a robots `meta`, keep a page out of search engines. A crawler's name
 * applies to the rules after it, up to the next name: `otherbot: noindex, nofollow`.
 */
function forbidsIndex(rules: string): boolean {
  let isForOthers = false;
  return rules
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [, name = '', behind = part] = /^\s*([\w-]+)\s*:(.*)$/s.exec(part) ?? [];
      if (WITH_VALUE.test(name)) return false;
      if (name !== '') isForOthers = !CRAWLERS.test(name);
      return !isForOthers && behind.split(/[\s;]+/).some((rule) => /^(?:noindex|none)$/.test(rule));
    });
}

/** The tags with a name in a head. */
function* tagsNamed(head: readonly HtmlToken[], name: string): Generator<OpenToken> {
  for (const token of head) if (token.kind === 'open' && token.name === name) yield token;
}

function* metaRobots(html: string, head: readonly HtmlToken[]): Generator<string> {
  for (const tag of tagsNamed(head, 'meta'))
    if (CRAWLERS.test(attributeOf(html, tag, 'name')?.trim().toLowerCase() ?? ''))
      yield attributeOf(html, tag, 'content') ?? '';
}

function canonicalOf(html: string, head: readonly HtmlToken[]): string | undefined {
  for (const tag of tagsNamed(head, 'link'))
    if ((attributeOf(html, tag, 'rel') ?? '').toLowerCase().split(/\s+/).includes('canonical'))
      return attributeOf(html, tag, 'href');
  return undefined;
}

/**
 * Whether a link, which may be relative, equals a URL, ignoring the fragment and one trailing slash (contract:
 * Canonicalization).
 */
function isSameUrl(link: string, url: string): boolean {
  const canonical = ({ origin, pathname, search }: URL) => origin + pathname.replace(/\/$/, '') + search;
  return URL.canParse(link, url) && canonical(new URL(link, url)) === canonical(new URL(url));
}
