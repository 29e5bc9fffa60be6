/** What is shorter hides nothing, and would be found everywhere: `?v=1` must not take all the ones out of a report. */
const SHORTEST = 4;

/**
 * Takes out of a text what must not stand in a report: the secret, what a URL holds for its receiver alone, and
 * everything that looks like a signature. What a terminal would obey is written as an escape.
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

/** How a text may stand in an answer. */
export function formsOf(text: string): string[] {
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    ...encodingsOf(Buffer.from(text)),
  ];
}

/** How bytes may stand in an answer. */
export function encodingsOf(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [hex, hex.toUpperCase(), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

/** A receiver's URL as it may be shown: without user, password and the values of its query. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
