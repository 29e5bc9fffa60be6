import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Log } from '../../log.js';
import { KNOWN_IDS, type KnownId, openKnownIds } from '../../store/known-ids.js';
import { foldersOf } from '../content/folders.js';
import { readCatalog } from './find-article.js';

/**
 * Allows a deleted article to be published again by its next delivery. A receiver may be running.
 *
 * @throws PressmarkError USAGE if the article exists; ARTICLE_NOT_FOUND if no article with this id was deleted.
 */
export async function forgetArticle(settings: Settings, id: string, log: Log): Promise<KnownId> {
  const { stateDir } = foldersOf(settings);
  const catalog = await readCatalog(settings);
  const [entry] = catalog.byId(id);
  if (entry !== undefined)
    throw new PressmarkError(
      'USAGE',
      `the article ${quote(id, 200)} is not deleted: its file is ${quote(entry.path, 200)}; only a deleted article can be forgotten`,
    );
  // The next start of the receiver searches git's history, which this command does not.
  const earlier = async () => undefined;
  const knownIds = await openKnownIds({ path: join(stateDir, KNOWN_IDS), catalog, log, earlier });
  const url = knownIds.urlOfDeleted(id);
  if (url === undefined)
    throw new PressmarkError(
      'ARTICLE_NOT_FOUND',
      `no deleted article has the id ${quote(id, 200)}; give the id as the service knows it`,
    );
  await knownIds.forget(id);
  return { id, url };
}
