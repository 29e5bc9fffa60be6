import { domainToUnicode } from 'node:url';

/** Characters that no URL may contain, and that `new URL` would remove or replace. */
const FORBIDDEN = /[\u0000-\u0020\u007f\\]/;

/** The parts of an absolute URL, unchanged: scheme, host with port, path, query. */
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i;

/**
 * The most UTF-16 code units of a host and port: 253 ASCII letters at most, and at most twice as many in an international
 * name's own script. The limit is needed because parsing time grows with the square of the length.
 */
const LONGEST_AUTHORITY = 1_000;

/**
 * The canonical form of an article's public URL: the fragment and one trailing path slash dropped, nothing else (contract:
 * article.lookup, Canonicalization). Two addresses name the same article exactly when their canonical forms are equal, that is,
 * when origin, path and query all match. Origins are compared without regard to case, the default port or the form of an
 * international name. Path and query are not normalised: `/a/../b` and `/%62` are other addresses than `/b`. Non-ASCII letters,
 * as browsers show them, equal their percent-encoded form.
 *
 * @returns undefined if the text is not an absolute HTTP(S) URL without credentials, or if its host is longer than any host
 *   name, or is written in a form that URL parsers replace, such as full-width letters or `127.1`.
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

/** Percent-encodes the non-ASCII characters of a path or of a URL with an ASCII origin, as URL parsers do. */
export function percentEncoded(text: string): string {
  return text.replace(/[^\x00-\x7f]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));
}

/** The last origin that was parsed: nearly all URLs of a process have the same one. */
let last: { readonly written: string; readonly origin: string | undefined } = {
  written: '',
  origin: undefined,
};

function originOf(written: string, authority: string): string | undefined {
  const url = parse(written);
  return url !== undefined && isWrittenAs(url.hostname, authority) ? url.origin : undefined;
}

/** Whether a host and its port are in the form that parsers return, apart from case and the form of an international name. */
function isWrittenAs(hostname: string, authority: string): boolean {
  const written = authority.replace(/:(?:0|[1-9][0-9]*)$/, '').toLowerCase();
  return written === hostname || written === domainToUnicode(hostname);
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // a TypeError: not a URL
  }
}
