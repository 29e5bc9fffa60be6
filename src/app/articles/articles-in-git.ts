import type { Settings } from '../../config/load.js';
import { lastAuthors as lastAuthorsIn } from '../../git/history.js';
import { commitAt } from '../../git/objects.js';
import { filesInReview } from '../../git/push/in-review.js';
import { reviewConfig } from '../durability.js';
import { contentInGit } from './article-history.js';

/** Who has last committed a file. */
export interface LastAuthor {
  readonly name: string;
  readonly email: string;
}

/**
 * The authors of the last commits of files, by the file; a file that no commit has is not among them.
 *
 * @param files relative to the site's folder.
 */
export async function lastAuthors(
  settings: Settings,
  files: readonly string[],
): Promise<ReadonlyMap<string, LastAuthor>> {
  const place = await contentInGit(settings);
  return place.kind === 'refused' || files.length === 0 ? new Map() : lastAuthorsIn(place, new Set(files));
}

/**
 * The files below the content folder that wait for review: the branch of the remote that they are to be merged into did not
 * have them when a receiver last looked. Undefined if the config wants no pull request.
 *
 * @returns paths relative to the site's folder.
 */
export async function articlesInReview(settings: Settings): Promise<ReadonlySet<string> | undefined> {
  if (reviewConfig(settings) === undefined) return undefined;
  const place = await contentInGit(settings);
  if (place.kind === 'refused') return undefined;
  const files = await filesInReview(place, await commitAt(place.repository, 'HEAD'));
  return new Set(files.map(({ path }) => place.inSite(path)));
}
