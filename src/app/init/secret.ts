import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { withLines } from './change.js';

/** Secrets shorter than this can be guessed; ours have 43 characters. */
export const MIN_SECRET_CHARS = 24;

/** The line of `.env` with a random signing secret. */
export function secretLine(): string {
  return `PRESSMARK_SECRET=${randomBytes(32).toString('base64url')}`;
}

/**
 * Adds a random signing secret to the site's `.env`, which nobody but its owner can read from then on.
 *
 * @param dir the site's folder.
 */
export function createSecret(dir: string): void {
  const path = join(dir, '.env');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  fs.appendFileSync(path, withLines(before, [secretLine()]).slice(before.length), { mode: 0o600 });
  fs.chmodSync(path, 0o600);
}
