import type { Settings } from '../../config/load.js';
import { checkContentFolder } from '../../git/content-folder.js';
import { commitAt } from '../../git/objects.js';
import { filesInReview } from '../../git/push/in-review.js';
import { openRepository } from '../../git/repository.js';
import { contentPrefix } from '../content/folders.js';
import { reviewConfig } from '../durability.js';

/**
 * The files below the content folder that wait for review: the branch of the remote that they are to be merged into did not
 * have them when a receiver last looked. Undefined where the config wants no pull request.
 *
 * @returns paths relative to the site's folder.
 */
export async function articlesInReview(settings: Settings): Promise<ReadonlySet<string> | undefined> {
  if (reviewConfig(settings) === undefined) return undefined;
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return undefined;
  const place = await checkContentFolder(repository, contentPrefix(settings));
  if (place.kind === 'refused') return undefined;
  const files = await filesInReview(place, await commitAt(repository, 'HEAD'));
  return new Set(files.map(({ path }) => place.inSite(path)));
}
