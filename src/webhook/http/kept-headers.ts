import type { KeptHeader } from '../../host/records.js';

/**
 * The headers whose values are never secret. Any other header may hold a token, as proxies, hosts and services add their own.
 */
const HARMLESS =
  /^(?:accept(?:-[a-z]+)?|age|cache-control|cf-(?:connecting-ip|ipcountry|ray)|connection|content-(?:encoding|language|length|type)|date|expect|forwarded|host|keep-alive|max-forwards|pragma|te|trailer|transfer-encoding|traceparent|tracestate|upgrade|user-agent|via|x-(?:correlation-id|forwarded-(?:for|host|port|prefix|proto)|real-ip|request-id))$/;

/** The longest value that is kept, in characters. */
const LONGEST_VALUE = 1_000;

/**
 * The headers of a request in order, without values that may be secret.
 *
 * @param raw alternating names and values, as in Node.js.
 * @param known further harmless headers, in lower case.
 */
export function keptHeaders(raw: readonly string[], known: ReadonlySet<string> = new Set()): KeptHeader[] {
  const headers: KeptHeader[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const key = name.toLowerCase();
    const isShown = known.has(key) || HARMLESS.test(key);
    headers.push({
      name: name.slice(0, LONGEST_VALUE),
      value: isShown ? value.slice(0, LONGEST_VALUE) : null,
    });
  }
  return headers;
}
