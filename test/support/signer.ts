import { createHmac } from 'node:crypto';

/** The default secret of test receivers. */
export const SECRET = 'a-secret-of-the-tests-0123456789';

/** The signature according to the contract; intentionally independent of the tested code. */
export function signature(body: Uint8Array | string, secret = SECRET, algorithm = 'sha256'): string {
  return `sha256=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}
