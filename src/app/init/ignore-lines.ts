import fs from 'node:fs';
import { join } from 'node:path';

/** Appends lines to a text, with the text's own line endings. */
export function withLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${lines.join(end)}${end}`;
}

/**
 * The lines that a `.gitignore` lacks, each once. `/public`, `public/*` and `public` are equal, and paths below an ignored
 * folder are not needed.
 *
 * @param present the text of the `.gitignore`.
 */
export function missingIgnoreLines(lines: readonly string[], present: string): string[] {
  const known = new Set<string>();
  for (const line of present.split('\n').map((one) => one.trim()))
    if (line.startsWith('!'))
      for (const form of [bare(line.slice(1)), `**/${bare(line.slice(1))}`]) known.delete(form);
    else for (const form of formsOf(line)) known.add(form);
  return lines.filter((line) => {
    const names = bare(line).split('/');
    const isKnown = names.some(
      (name, index) => known.has(`**/${name}`) || known.has(names.slice(0, index + 1).join('/')),
    );
    if (!isKnown) known.add(bare(line));
    return !isKnown;
  });
}

/** The paths that a line ignores: without a slash at its beginning or in its middle, a name in every folder. */
function formsOf(line: string): string[] {
  return /\/./.test(line) ? [bare(line)] : [bare(line), `**/${bare(line)}`];
}

function bare(line: string): string {
  return line.replace(/\*+$/, '').replace(/^\/+|\/+$/g, '');
}

/**
 * Adds the missing lines to the site's `.gitignore`.
 *
 * @param dir the site's folder.
 */
export function addIgnoreLines(dir: string, lines: readonly string[]): void {
  const path = join(dir, '.gitignore');
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const missing = missingIgnoreLines(lines, before);
  fs.appendFileSync(path, withLines(before, missing).slice(before.length));
}
