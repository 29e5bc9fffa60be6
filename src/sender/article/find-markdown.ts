import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { hasFrontMatter } from './front-matter.js';

/** Folders that generators keep drafts, and package managers code in. */
const NO_ARTICLES = new Set(['node_modules', '_drafts', 'drafts']);

/**
 * The Markdown files that were named, and those with front matter in folders that were, sorted. Hidden folders,
 * drafts, Hugo's `_index.md` and symbolic links inside a folder are left out.
 *
 * @throws PressmarkError USAGE where there is no such file or folder, or no article in a folder.
 */
export function findMarkdown(paths: readonly string[]): string[] {
  const found = paths.flatMap((given) => {
    const stat = fs.statSync(given, { throwIfNoEntry: false });
    if (stat === undefined)
      throw new PressmarkError('USAGE', `there is no ${given}; name Markdown files or folders of them`);
    // An article's id is made from its path: by way of a symbolic link it would be another one.
    const path = fs.realpathSync(given);
    if (!stat.isDirectory()) return [path];
    const articles = markdownIn(path);
    if (articles.length === 0)
      throw new PressmarkError(
        'USAGE',
        `there is no article in ${given}; articles are .md or .markdown files that begin with front matter between two lines ---`,
      );
    return articles;
  });
  return [...new Set(found)];
}

function markdownIn(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || NO_ARTICLES.has(entry.name)) return [];
      if (entry.isDirectory()) return markdownIn(path);
      return entry.isFile() && isArticle(entry.name, path) ? [path] : [];
    });
}

function isArticle(name: string, path: string): boolean {
  return /\.(?:md|markdown)$/i.test(name) && name !== '_index.md' && hasFrontMatter(firstLine(path));
}

function firstLine(path: string): string {
  const fd = fs.openSync(path, 'r');
  try {
    const start = Buffer.alloc(64);
    return start.toString('utf8', 0, fs.readSync(fd, start));
  } finally {
    fs.closeSync(fd);
  }
}
