import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesAt } from '../objects.js';
import type { Repository } from '../repository.js';
import { ignoredAmong, writeBlobs } from './commit-files.js';

/** The assets of an article's file, relative to the site's folder. */
export type AssetsOf = (id: string, text: string) => readonly string[];

/** The assets of one article that a commit lacks: their blobs, by their paths from the top of the work tree. */
type Blobs = ReadonlyMap<string, string>;

/**
 * Has git store the assets that a commit lacks. Those that git ignores, and those behind a symbolic link, are left out.
 *
 * @param tip the commit; null for none.
 * @param articles the assets of each article, relative to the site's folder.
 * @returns those of each article.
 */
export async function lackingAssets(
  repository: Repository,
  tip: string | null,
  articles: readonly (readonly string[])[],
): Promise<Blobs[]> {
  const { prefix, top } = repository;
  const all = [...new Set(articles.flat())]
    .map((path) => `${prefix}${path}`)
    .filter((path) => isPlainFile(join(top, path)));
  if (all.length === 0) return articles.map(() => new Map());
  const [committed, ignored] = await Promise.all([
    entriesAt(repository, tip, all),
    ignoredAmong(repository, all),
  ]);
  const lacking = all.filter((path) => !committed.has(path) && !ignored.has(path));
  const ids = lacking.length === 0 ? [] : await writeBlobs(repository, lacking);
  const blobs = new Map(lacking.map((path, index) => [path, ids[index] ?? '']));
  return articles.map(
    (paths) =>
      new Map(
        paths.flatMap((path) => {
          const blob = blobs.get(`${prefix}${path}`);
          return blob === undefined ? [] : [[`${prefix}${path}`, blob]];
        }),
      ),
  );
}

function isPlainFile(path: string): boolean {
  const folder = dirname(path);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && realpathSync(folder) === folder;
}
