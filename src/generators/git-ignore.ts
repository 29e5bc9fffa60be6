import type { SiteFiles } from './generator.js';

/** The lines that the site's `.gitignore` lacks, of those given, such as `_site/`. */
export function missingIgnoreLines(files: SiteFiles, lines: readonly string[]): string[] {
  return lines.filter((line) => !isGitIgnored(files, line));
}

/** Whether the site's `.gitignore` has a line, written with or without slashes and stars around the name. */
export function isGitIgnored(files: SiteFiles, line: string): boolean {
  const lines = (files.read('.gitignore') ?? '').split('\n');
  return lines.some((one) => nameIn(one) === nameIn(line));
}

function nameIn(line: string): string {
  return line
    .trim()
    .replace(/\*+$/, '')
    .replace(/^\/+|\/+$/g, '');
}
