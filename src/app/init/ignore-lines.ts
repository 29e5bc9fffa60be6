import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { withLines } from './change.js';

/**
 * Those lines that a `.gitignore` does not have yet, each once; `/public`, `public/*` and `public` are the same, and what is
 * below a folder that it has need not be there.
 *
 * @param present the text of the `.gitignore`.
 * @param above the texts of those in the folders above: their lines without a slash inside count for this folder too.
 */
export function missingIgnoreLines(
  lines: readonly string[],
  present: string,
  above: readonly string[] = [],
): string[] {
  const linesOf = (text: string) => text.split('\n').map((line) => line.trim());
  const everywhere = above.flatMap(linesOf).filter((line) => !line.replace(/\/$/, '').includes('/'));
  const known = new Set([...linesOf(present), ...everywhere].map(bare));
  return lines.filter((line) => {
    const names = bare(line).split('/');
    if (names.some((_, index) => known.has(names.slice(0, index + 1).join('/')))) return false;
    known.add(bare(line));
    return true;
  });
}

function bare(line: string): string {
  return line.replace(/\*+$/, '').replace(/^\/+|\/+$/g, '');
}

/**
 * Adds lines to the site's `.gitignore` that are not there yet.
 *
 * @param dir the site's folder.
 */
export function addIgnoreLines(dir: string, lines: readonly string[]): void {
  const path = join(dir, '.gitignore');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const missing = missingIgnoreLines(lines, before);
  fs.appendFileSync(path, withLines(before, missing).slice(before.length));
}

/** What surrounds a site's folder. */
export interface Surroundings {
  /** The texts of `.gitignore` in the folders above, up to the root of the work tree. */
  readonly ignoredAbove: readonly string[];
  readonly isInWorkTree: boolean;
}

/** Looks for the work tree that a folder is in, and for what is ignored in it. */
export function surroundingsOf(dir: string): Surroundings {
  const ignoredAbove: string[] = [];
  for (let at = dir; ; at = dirname(at)) {
    const path = join(at, '.gitignore');
    if (at !== dir && fs.existsSync(path)) ignoredAbove.push(fs.readFileSync(path, 'utf8'));
    if (fs.existsSync(join(at, '.git'))) return { ignoredAbove, isInWorkTree: true };
    if (at === dirname(at)) return { ignoredAbove: [], isInWorkTree: false };
  }
}
