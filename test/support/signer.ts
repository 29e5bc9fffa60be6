import { createHmac } from 'node:crypto';

/** The secret that test receivers hold unless a test says otherwise. */
export const SECRET = 'a-secret-of-the-tests-0123456789';

/** The signature as the contract words it; on purpose not the code that is tested. */
export function signature(body: Uint8Array | string, secret = SECRET, algorithm = 'sha256'): string {
  return `sha256=${createHmac(algorithm, secret).update(body).digest('hex')}`;
}
