import { createHmac, timingSafeEqual } from 'node:crypto';

const PATTERN = /^sha256=([0-9a-f]{64})$/;

/**
 * The signature header's value for a body: `sha256=` and the lowercase hex of HMAC-SHA256
 * (contract: Authentication, 2).
 */
export function sign(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Whether a header value has the form of a signature, in upper or lower case. The body is not checked. */
export function isSignature(header: string): boolean {
  return PATTERN.test(header.toLowerCase());
}

/**
 * Whether `header` signs exactly these bytes under one of the live secrets (contract: Authentication, 3). Several secrets are
 * live while one is being rotated. The comparison takes constant time for equal lengths. The pattern is checked first because
 * `Buffer.from(hex)` would silently stop at the first bad digit.
 */
export function verify(body: Uint8Array, header: string, secrets: readonly string[]): boolean {
  const hex = PATTERN.exec(header.toLowerCase())?.[1];
  if (hex === undefined) return false;
  const given = Buffer.from(hex, 'hex');
  let matches = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(body).digest();
    // No early exit: the time must not reveal which secret matched.
    if (expected.length === given.length && timingSafeEqual(expected, given)) matches = true;
  }
  return matches;
}
