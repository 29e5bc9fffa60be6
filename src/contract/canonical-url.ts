import { domainToUnicode } from 'node:url';

/** Characters that no URL may contain, and that `new URL` would remove or replace. */
const FORBIDDEN = /[\u0000-\u0020\u007f\\]/;

/** The parts of an absolute URL, as they are written: scheme, host with port, path, query. */
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i;

/**
 * More than any host name and port have, in UTF-16 code units: 253 letters in ASCII, at most twice as many in an
 * international name's own script. Parsers take time that grows with the square of the length of a name.
 */
const LONGEST_AUTHORITY = 1_000;

/**
 * The canonical form of an article's public URL: the fragment and one trailing path slash dropped,
 * nothing else (contract: article.lookup, Canonicalization). Two addresses name the same article exactly
 * when their canonical forms are equal, that is, when origin, path and query all match. The origin is compared
 * as origins are: without regard to case, the default port or the form of an international name. Path and query
 * stay as they are written; `/a/../b` and `/%62` are other addresses than `/b`. Letters that no URL may contain, as browsers
 * show them, stand for their percent-encoded form.
 *
 * @returns undefined if the text is not an absolute HTTP(S) URL without credentials, or if its host is longer
 *   than any host name, or is written in a form that URL parsers replace, such as full-width letters or `127.1`.
 */
export function canonicalUrl(text: string): string | undefined {
  if (FORBIDDEN.test(text)) return undefined;
  const [, scheme = '', authority = '', path = '', query = ''] = PARTS.exec(text) ?? [];
  if (scheme === '' || authority.length > LONGEST_AUTHORITY || authority.includes('@')) return undefined;
  const written = `${scheme}://${authority}`;
  if (written !== last.written) last = { written, origin: originOf(written, authority) };
  if (last.origin === undefined) return undefined;
  return percentEncoded(`${last.origin}${path.endsWith('/') ? path.slice(0, -1) : path}${query}`);
}

/** A path or a URL with an ASCII origin, in which what is not ASCII is percent-encoded, as URL parsers do it. */
export function percentEncoded(text: string): string {
  return text.replace(/[^\x00-\x7f]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));
}

/** The origin that was read last: nearly all URLs of a process have the same one, and a parser takes its time. */
let last: { readonly written: string; readonly origin: string | undefined } = {
  written: '',
  origin: undefined,
};

function originOf(written: string, authority: string): string | undefined {
  const url = parse(written);
  return url !== undefined && isWrittenAs(url.hostname, authority) ? url.origin : undefined;
}

/** Whether a host and its port are written as parsers name them, but for case and the form of an international name. */
function isWrittenAs(hostname: string, authority: string): boolean {
  const written = authority.replace(/:(?:0|[1-9][0-9]*)$/, '').toLowerCase();
  return written === hostname || written === domainToUnicode(hostname);
}

/** Parsed once: asking `URL.canParse` first would do the work twice. */
function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // a TypeError is how URL says no
  }
}
