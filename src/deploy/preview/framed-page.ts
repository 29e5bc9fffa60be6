import { attributeOf, type HtmlToken, htmlTokens, type OpenToken } from '../../article/text/html-tokens.js';
import { addressBelow } from '../build/pages.js';

/** Where a page is shown besides its site. */
export interface Frame {
  /** The site's address, without a trailing slash. */
  readonly siteUrl: string;
  /** The address at which a browser gets the files of the site, absolute, with a slash at its end. */
  readonly files: string;
}

/** What a browser fetches by itself, by the names of attributes; a link of `<a>` is not. */
const FETCHED = new Set(['src', 'poster', 'data', 'href', 'srcset', 'imagesrcset']);

/**
 * A page of the site that shows itself elsewhere: what it fetches from the site comes from `files`. Its links lead nowhere.
 *
 * @param page the page's path below the site, such as `articles/x/index.html`.
 */
export function framedPage(html: string, page: string, frame: Frame): string {
  const tokens = htmlTokens(html);
  const changes = tokens.flatMap((token) => (token.kind === 'open' ? changesIn(html, token, frame) : []));
  const folder = `${frame.files}${page.slice(0, page.lastIndexOf('/') + 1)}`;
  const hasBase = tokens.some((token) => token.kind === 'open' && token.name === 'base');
  // A frame that may open no window has nowhere to go.
  const base = `<base target="_blank">${hasBase ? '' : `<base href="${quoted(folder)}">`}`;
  const head = headStart(tokens);
  let text = '';
  let at = 0;
  for (const [start, end, value] of [[head, head, base] as const, ...changes].toSorted(byStart)) {
    text += html.slice(at, start) + value;
    at = end;
  }
  return text + html.slice(at);
}

/** A style sheet with the addresses of its files; see `framedPage`. */
export function framedStyles(css: string, frame: Frame): string {
  return css
    .replace(
      /(\burl\(\s*["']?)([^"')\s]+)/gi,
      (_, before: string, url: string) => before + fileAt(url, frame),
    )
    .replace(/(@import\s+["'])([^"']+)/gi, (_, before: string, url: string) => before + fileAt(url, frame));
}

type Change = readonly [start: number, end: number, text: string];

function byStart([one]: Change, [other]: Change): number {
  return one - other;
}

/** What is to be different in a tag and, of a `<style>`, in its text. */
function changesIn(html: string, token: OpenToken, frame: Frame): Change[] {
  const changes: Change[] = [];
  // Styles have other bytes here.
  const integrity = token.attributes.find(({ name }) => name === 'integrity');
  if (integrity !== undefined) changes.push([integrity.start, integrity.end, '']);
  for (const { name, valueStart, valueEnd } of token.name === 'a' ? [] : token.attributes) {
    const value = attributeOf(html, token, name);
    if (value === undefined) continue;
    const framed =
      name === 'style'
        ? framedStyles(value, frame)
        : name.endsWith('srcset')
          ? framedList(value, frame)
          : fileAt(value, frame);
    if ((name === 'style' || FETCHED.has(name)) && framed !== value)
      changes.push([
        valueStart,
        valueEnd,
        isQuoted(html, valueStart) ? quoted(framed) : `"${quoted(framed)}"`,
      ]);
  }
  if (token.name === 'style' && token.contentEnd !== undefined) {
    const { contentStart, contentEnd } = token;
    changes.push([contentStart, contentEnd, framedStyles(html.slice(contentStart, contentEnd), frame)]);
  }
  return changes;
}

/** The addresses of `srcset`, each with a width behind a space. */
function framedList(value: string, frame: Frame): string {
  return value.replace(
    /(^|,\s+|,(?=\/))(\S+?)(?=,?(?:\s|$))/g,
    (_, before: string, url: string) => before + fileAt(url, frame),
  );
}

/** Where a file of the site is fetched; an address of another site, and one relative to its page, as it is. */
function fileAt(url: string, { siteUrl, files }: Frame): string {
  if (!/^\s*(?:\/|https?:)/i.test(url)) return url;
  const below = addressBelow(siteUrl, url.trim());
  if (below === undefined) return url;
  const [, rest = ''] = /^[^?#]*(.*)$/s.exec(url.trim()) ?? [];
  return `${files}${below.slice(1)}${rest}`;
}

function isQuoted(html: string, valueStart: number): boolean {
  return /["']/.test(html[valueStart - 1] ?? '');
}

function quoted(value: string): string {
  return value.replace(/[&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Where the first element of the head goes. */
function headStart(tokens: readonly HtmlToken[]): number {
  const starts = (name: string) => tokens.find((token) => token.kind === 'open' && token.name === name)?.end;
  return starts('head') ?? starts('html') ?? 0;
}
