import type { Settings } from '../../config/load.js';
import type { Log } from '../../log.js';
import { createSearch, type ListPages, type Search } from '../../site/search/search.js';
import { foldersOf } from '../content/folders.js';

/**
 * The search's index of a site.
 *
 * @param settings the site's settings as they are now; its folders stay what they are.
 * @param onWritten called when the index has changed.
 */
export function openSearch(
  settings: () => Settings,
  listPages: ListPages,
  log: Log,
  onWritten?: () => void,
): Search {
  const { outputDir, stateDir } = foldersOf(settings());
  return createSearch({
    outputDir,
    stateDir,
    listPages,
    settings: () => {
      const { site } = settings();
      return site !== false && site.search;
    },
    log: log.child({ plugin: 'site' }),
    ...(onWritten !== undefined && { onWritten }),
  });
}
