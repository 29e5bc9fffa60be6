import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCHEMAS = fileURLToPath(new URL('../../../../test/e2e/schemas/', import.meta.url));

/** What xmllint says of a text; empty where it is valid. */
export function complaintsOf(text: string, ...how: readonly string[]): string {
  try {
    execFileSync('xmllint', ['--nonet', '--noout', ...how, '-'], { input: text, stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  }
}

/** By what each of the site's XML files is validated. */
export const RULES = {
  'feed.xml': ['--relaxng', join(SCHEMAS, 'atom.rng')],
  'rss.xml': ['--relaxng', join(SCHEMAS, 'rss.rng')],
  'sitemap.xml': ['--schema', join(SCHEMAS, 'sitemap.xsd')],
  'favicon.svg': [],
};
