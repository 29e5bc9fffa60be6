import type { KeptHeader } from '../../host/records.js';

/**
 * The headers whose values hold no secret. Any other header may: proxies, hosts and services put tokens into headers of their
 * own.
 */
const HARMLESS =
  /^(?:accept(?:-[a-z]+)?|age|cache-control|cf-(?:connecting-ip|ipcountry|ray)|connection|content-(?:encoding|language|length|type)|date|expect|forwarded|host|keep-alive|max-forwards|pragma|te|trailer|transfer-encoding|traceparent|tracestate|upgrade|user-agent|via|x-(?:correlation-id|forwarded-(?:for|host|port|prefix|proto)|real-ip|request-id))$/;

/** The longest value that is kept, in characters. */
const LONGEST_VALUE = 1_000;

/**
 * The headers of a request in their order, without any value that may be a secret.
 *
 * @param raw names and values in turn, as Node.js has them.
 * @param known further headers whose values are harmless, in lower case.
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
