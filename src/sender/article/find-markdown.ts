import fs from 'node:fs';
import { join } from 'node:path';
import { isGone, PressmarkError } from '../../errors.js';
import { hasFrontMatter } from './front-matter.js';

/** The folders in which generators keep drafts. */
const DRAFTS = new Set(['_drafts', 'drafts']);

const WHY_NO_MDX = 'it is MDX, whose components only its own site can show';
const isMdx = (path: string) => /\.mdx$/i.test(path);

/** The articles in files and folders. */
export interface FoundMarkdown {
  readonly articles: readonly string[];
  /** Other files that look like articles, each with the reason why it is not one. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Finds the named Markdown files, and files with front matter in the named folders, sorted. Hidden folders, drafts, MDX, Hugo's
 * `_index.md` and symbolic links inside a folder are left out.
 *
 * @throws PressmarkError USAGE if a file or folder does not exist, or a folder contains no article.
 */
export function findMarkdown(paths: readonly string[]): FoundMarkdown {
  const found = paths.flatMap((given): Found[] => {
    // An article's id is made from its path, which a symbolic link would change.
    const path = realPathOf(given);
    if (!fs.statSync(path).isDirectory()) return [isMdx(path) ? { path, why: WHY_NO_MDX } : { path }];
    const below = markdownIn(path);
    if (below.every(({ why }) => why !== undefined))
      throw new PressmarkError(
        'USAGE',
        `there is no article in ${given}; articles are .md or .markdown files that begin with front matter between two lines ---`,
      );
    return below;
  });
  const leftOut = found.flatMap(({ path, why }) => (why === undefined ? [] : [{ path, why }]));
  const articles = found.filter(({ why }) => why === undefined).map(({ path }) => path);
  return { articles: [...new Set(articles)], leftOut };
}

function realPathOf(given: string): string {
  try {
    return fs.realpathSync(given);
  } catch (cause) {
    if (!isGone(cause)) throw cause;
    throw new PressmarkError('USAGE', `there is no ${given}; name Markdown files or folders of them`, {
      cause,
    });
  }
}

/** A Markdown file or a folder; with `why`, it is left out. */
interface Found {
  readonly path: string;
  readonly why?: string;
}

function markdownIn(folder: string): Found[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): Found[] => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (entry.isDirectory())
        return DRAFTS.has(entry.name) ? [{ path, why: 'it is a folder of drafts' }] : markdownIn(path);
      if (isMdx(path)) return [{ path, why: WHY_NO_MDX }];
      if (!/\.(?:md|markdown)$/i.test(entry.name)) return [];
      const why = whyNoArticle(entry, path);
      return why === undefined ? [{ path }] : [{ path, why }];
    });
}

function whyNoArticle(entry: fs.Dirent, path: string): string | undefined {
  if (entry.isSymbolicLink()) return 'it is a symbolic link';
  if (entry.name === '_index.md') return 'it is about a section of a Hugo site';
  if (!entry.isFile()) return 'it is no file';
  return hasFrontMatter(firstLine(path)) ? undefined : 'it has no front matter';
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
