import { quote } from '../errors.js';

const GZIP = Buffer.from([0x1f, 0x8b]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Tells how a body was changed on its way, by its encoding and its first bytes; undefined if there is no sign of it. Then a
 * wrong signature most likely means a wrong secret.
 */
export function changedBytes(body: Buffer, encoding: string | string[] | undefined): string | undefined {
  if (!isIdentity(encoding))
    return `the body came with Content-Encoding ${quote(encoding)}; let no proxy compress it`;
  if (startsWith(body, GZIP)) return 'the body is compressed (gzip); let no proxy compress it';
  if (startsWith(body, BYTE_ORDER_MARK))
    return 'the body begins with a byte order mark (EF BB BF); send it without';
  return undefined;
}

/** Whether a Content-Encoding leaves the body unchanged. */
export function isIdentity(encoding: string | string[] | undefined): boolean {
  return encoding === undefined || encoding === '' || String(encoding).toLowerCase() === 'identity';
}

function startsWith(body: Buffer, bytes: Buffer): boolean {
  return body.subarray(0, bytes.length).equals(bytes);
}
