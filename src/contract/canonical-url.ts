// What `new URL` would silently repair is refused instead: an address is matched exactly, never guessed.
const REPAIRED = /[\u0000-\u0020\u007f\\]/;

/**
 * The canonical form of an article's public URL: the fragment and one trailing path slash dropped,
 * nothing else (contract: article.lookup, Canonicalization). Two addresses name the same article exactly
 * when their canonical forms are equal, that is, when origin, path and query all match.
 *
 * @returns undefined where the text is not an absolute HTTP(S) URL without credentials.
 */
export function canonicalUrl(text: string): string | undefined {
  if (REPAIRED.test(text)) return undefined;
  // `new URL` also accepts `http:/host` and `https:host`; the contract wants an absolute URL.
  if (!/^https?:\/\/[^/]/i.test(text)) return undefined;
  const url = parse(text);
  if (url === undefined) return undefined;
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)))
    return undefined;
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return `${url.origin}${path}${url.search}`;
}

/** Parsed once: asking `URL.canParse` first would do the work twice. */
function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // a TypeError is how URL says no
  }
}
