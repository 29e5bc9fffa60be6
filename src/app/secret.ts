import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';

/** Secrets shorter than this can be guessed; ours have 43 characters. */
export const MIN_SECRET_CHARS = 24;

/**
 * Adds a random signing secret to the site's `.env`, which nobody but its owner can read from then on.
 *
 * @param dir the site's folder.
 */
export function createSecret(dir: string): void {
  const path = join(dir, '.env');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  fs.appendFileSync(path, `${gap}PRESSMARK_SECRET=${randomBytes(32).toString('base64url')}\n`, {
    mode: 0o600,
  });
  fs.chmodSync(path, 0o600);
}

/**
 * Adds lines to the site's `.gitignore` that are not there yet.
 *
 * @returns the lines that were added.
 */
export function addIgnoreLines(dir: string, lines: readonly string[]): string[] {
  const path = join(dir, '.gitignore');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const present = new Set(
    before.split(/\r?\n/).map((line) => line.trim().replace(/^\//, '').replace(/\/$/, '')),
  );
  const missing = lines.filter((line) => !present.has(line.replace(/^\//, '').replace(/\/$/, '')));
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  if (missing.length > 0) fs.appendFileSync(path, `${gap}${missing.join('\n')}\n`);
  return missing;
}
