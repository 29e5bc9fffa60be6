import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../repository.js';
import { statusOf } from '../status.js';
import { writeBlobs } from './build-commits.js';
import { stagedByOwner } from './move-branch.js';

/** The assets of an article's file, relative to the site's folder. */
export type AssetsOf = (id: string, text: string) => Promise<readonly string[]>;

/** The assets of one article that HEAD lacks: their blobs, by path from the top of the work tree. */
type Blobs = ReadonlyMap<string, string>;

/**
 * Stores the assets that HEAD lacks as blobs. It skips assets that git ignores, that are behind a symbolic link, or that the
 * owner has staged with other content.
 *
 * @param articles the assets of each article, relative to the site's folder.
 * @returns the blobs for each article, in order.
 */
export async function lackingAssets(
  repository: Repository,
  articles: readonly (readonly string[])[],
): Promise<Blobs[]> {
  const { prefix, top } = repository;
  const all = [...new Set(articles.flat())]
    .map((path) => `${prefix}${path}`)
    .filter((path) => isPlainFile(join(top, path)));
  if (all.length === 0) return articles.map(() => new Map());
  const status = await statusOf(repository, all);
  const { files } = status;
  const staged = await stagedByOwner(repository, status);
  const lacking = all.filter((path) => files.has(path) && files.get(path)?.head === undefined);
  const ids = lacking.length === 0 ? [] : await writeBlobs(repository, lacking);
  const blobs = new Map<string, string>();
  for (const [index, path] of lacking.entries()) {
    const id = ids[index] ?? '';
    if (!staged.has(path) || files.get(path)?.index?.id === id) blobs.set(path, id);
  }
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
