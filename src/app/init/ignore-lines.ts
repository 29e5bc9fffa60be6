import fs from 'node:fs';
import { dirname, join } from 'node:path';

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
  const known = new Set([
    ...linesOf(present).map(bare),
    ...above
      .flatMap(linesOf)
      .filter((line) => !line.replace(/\/$/, '').includes('/'))
      .map(bare),
  ]);
  return lines.filter((line) => {
    const names = bare(line).split('/');
    if (names.some((_, index) => known.has(names.slice(0, index + 1).join('/')))) return false;
    known.add(bare(line));
    return true;
  });
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).map((line) => line.trim());
}

function bare(line: string): string {
  return line.replace(/\*+$/, '').replace(/^\/+|\/+$/g, '');
}

/** The git work tree that a folder is in; undefined where it is in none. */
export function workTreeOf(dir: string): string | undefined {
  for (let at = dir; ; at = dirname(at)) {
    if (fs.existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** The texts of the `.gitignore` files above a folder, up to the root of its work tree. */
export function ignoreFilesAbove(dir: string): string[] {
  const root = workTreeOf(dir);
  const texts: string[] = [];
  for (let at = dir; root !== undefined && at !== root; ) {
    at = dirname(at);
    const path = join(at, '.gitignore');
    if (fs.existsSync(path)) texts.push(fs.readFileSync(path, 'utf8'));
  }
  return texts;
}
