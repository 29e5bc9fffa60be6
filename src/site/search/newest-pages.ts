import type { SiteInfo } from '../../host/page-types.js';
import type { ArticleList } from '../index/article-list.js';
import type { Manifest } from '../write/manifest.js';
import type { SearchPage } from './search-messages.js';

/** The pages of the newest articles as they were built last, at most `count`, oldest first. */
export function newestPages(
  count: number,
  site: SiteInfo,
  { items }: Pick<ArticleList, 'items'>,
  { files }: Pick<Manifest, 'files'>,
): SearchPage[] {
  return items.slice(-count).flatMap(({ entry, file }) => {
    const written = files.get(file);
    const path = new URL(entry.url).pathname.slice(site.basePath.length);
    return written === undefined
      ? []
      : [{ file, path, version: `${written.size}-${written.crc}`, size: written.size }];
  });
}
