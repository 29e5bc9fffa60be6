import type { Article } from '../../article/article.js';
import type { ArticleReader } from '../../host/plugins.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { type ContentFolder, type Entry, readArticle } from '../../store/catalog/entry.js';
import { refresh } from '../../store/catalog/scan.js';

/**
 * The articles as plugins in the builder's thread read them, from their files as they are now. What cannot be
 * read, or is there twice, is not there.
 *
 * @param canonical the contract's canonical form of a URL; handed in, as the site knows nothing of the wire.
 */
export function readerOf(
  content: ContentFolder,
  catalog: Catalog,
  canonical: (url: string) => string | undefined,
): ArticleReader {
  function only(find: () => readonly Entry[]): Article | undefined {
    for (const { path } of find()) refresh(content, catalog, path);
    const [entry, other] = find();
    if (entry === undefined || other !== undefined || entry.broken !== undefined) return undefined;
    return readArticle(content, entry.path).stored.article;
  }

  return {
    get: async (id) => only(() => catalog.byId(id)),
    find: async (url) => only(() => catalog.byUrl(canonical(url) ?? '')),
    ids: () => new Set([...catalog.entries()].map(({ id }) => id)),
  };
}
