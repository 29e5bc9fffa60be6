import { escapeUTF8 } from 'entities';
import { attributeOf, type HtmlToken, htmlTokens, type OpenToken } from '../../article/text/html-tokens.js';
import { isLoopbackName } from '../http/local-request.js';

/**
 * The base address of a draft's page in a frame of the admin. On this machine the receiver serves the site's files; the public
 * host of an admin may not, so they come from the public site.
 *
 * @param url of the draft.
 * @param origin of the admin.
 */
export function frameBase(url: string, origin: string): string {
  return isLoopbackName(new URL(origin).hostname) ? new URL(url).pathname : url;
}

/** A page for a frame of the admin: it loads the files of its site, and its links lead nowhere. */
export function framedPage(html: string, base: string): string {
  const tokens = htmlTokens(html);
  const open = (name: string) =>
    tokens.find((token): token is OpenToken => token.kind === 'open' && token.name === name);
  const own = open('base');
  const href = own === undefined ? base : relativeTo(base, attributeOf(html, own, 'href') ?? '');
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  const start = (open('head') ?? open('html'))?.end ?? doctype.length;
  let text = '';
  let at = 0;
  for (const cut of [{ start, end: start }, ...tokens.flatMap(checksOfFiles)].sort(
    (a, b) => a.start - b.start,
  )) {
    // The frame may not open windows, so a link does nothing.
    const inserted = cut.start === cut.end ? `<base href="${escapeUTF8(href)}" target="_blank">` : '';
    text += html.slice(at, cut.start) + inserted;
    at = cut.end;
  }
  return text + html.slice(at);
}

/** The attributes that make a browser check the origin of files. A sandboxed frame has no origin, so every check would fail. */
function checksOfFiles(token: HtmlToken): readonly { readonly start: number; readonly end: number }[] {
  if (token.kind !== 'open') return [];
  return token.attributes.filter(({ name }) => name === 'integrity' || name === 'crossorigin');
}

function relativeTo(base: string, href: string): string {
  const from = new URL(base, 'http://localhost');
  if (!URL.canParse(href, from.href)) return base;
  const to = new URL(href, from);
  return base.startsWith('/') && to.origin === from.origin ? to.pathname : to.href;
}
