/**
 * The shortest text that is redacted, in characters. A shorter one would match anywhere: `?v=1` must not remove all the ones
 * from a report.
 */
const SHORTEST = 4;

/**
 * Makes a function that removes secrets from a text for a report: the secret, the parts of a URL that only its receiver may
 * know, and everything that looks like a signature. Control characters for terminals are escaped.
 */
export function redactor(secret: string, url: URL): (text: string) => string {
  const inUrl = [url.username, url.password].map(decodeURIComponent).concat(...url.searchParams.values());
  const hidden = [secret, ...inUrl].filter((text) => text.length >= SHORTEST);
  const longestFirst = [...new Set(hidden.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) =>
    longestFirst
      .reduce((left, form) => left.replaceAll(form, '[hidden]'), text)
      .replace(/[0-9a-f]{64}/gi, '[64 hex digits]')
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\ufffe\uffff]/gu, escaped);
}

/** The forms in which a text may occur in an answer. */
export function formsOf(text: string): string[] {
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    ...encodingsOf(Buffer.from(text)),
  ];
}

/** The encodings in which bytes may occur in an answer. */
export function encodingsOf(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase(), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

/** A receiver's URL for display: without user, password and the values of its query. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
