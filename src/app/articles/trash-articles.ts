import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError, quote } from '../../errors.js';
import { type Editors, removedKey, restoredKey } from '../../git/commit/editors.js';
import type { ArticleTrash, TrashedArticle } from '../../host/article-trash.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import type { DeletedArticles } from '../../store/deleted.js';
import { dropTrashed, keepTrashed, trashedFile, trashedFiles } from '../../store/trash.js';
import type { Surroundings } from '../../webhook/handler.js';

export interface TrashOptions {
  readonly store: ArticleStore;
  readonly catalog: Catalog;
  readonly stateDir: string;
  /** The content folder's path below the site's, with a slash at its end. */
  readonly prefix: string;
  readonly siteUrl: string;
  readonly editors: Editors;
  readonly deleted: Pick<DeletedArticles, 'add' | 'note'>;
  readonly hooks: Pick<Surroundings['hooks'], 'doAction'>;
  /** Has git commit that a file has gone, or is there again; undefined where nothing is committed. */
  readonly commit: ((path: string) => void) | undefined;
  /** Why nothing can be removed here, as the end of a sentence; undefined where it can. */
  readonly refusal: string | undefined;
}

/** Articles that people remove, and can have back. */
export function createTrash(options: TrashOptions): ArticleTrash {
  const { store, catalog, stateDir, prefix, siteUrl, editors, deleted, hooks, commit, refusal } = options;

  const trash: ArticleTrash['trash'] = async (id, base, { redirect = null }, by) => {
    if (refusal !== undefined) throw new PressmarkError('USAGE', refusal);
    const to = redirect === null ? null : checked(redirect);
    const before = catalog.byId(id)[0];
    const { article, path } = await store.remove(id, async ({ text, stored: { article } }, path) => {
      if (article.revision !== base)
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} has changed since; it is at ${quote(article.revision)}`,
        );
      if (to !== null && to === article.url)
        throw new PressmarkError('BODY_INVALID', 'the URL of the article would lead to itself');
      await editors.note(removedKey(`${prefix}${path}`), { name: by.name, email: by.email ?? '' });
      const { title, url } = article;
      const at = new Date().toISOString();
      await keepTrashed(stateDir, { id, url, title, path, text, at, by: by.name, redirect: to });
    });
    const { url } = article;
    // What was never written down, as it came with `git pull` a moment ago, is remembered as well.
    deleted.add({ id, url });
    if (before !== undefined) deleted.note([{ path, before, after: undefined }]);
    void hooks.doAction('article.removed', { path: `${prefix}${path}`, id, url });
    commit?.(`${prefix}${path}`);
  };

  const restore: ArticleTrash['restore'] = async (id, by) => {
    if (refusal !== undefined) throw new PressmarkError('USAGE', refusal);
    const kept = trashedFile(stateDir, id);
    if (kept === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `no article with the id ${quote(id)} is in the trash`);
    const { path, url, text } = kept;
    await editors.note(restoredKey(`${prefix}${path}`), { name: by.name, email: by.email ?? '' });
    await store.restore(id, path, text);
    const after = catalog.get(path);
    if (after !== undefined) deleted.note([{ path, before: undefined, after }]);
    await dropTrashed(stateDir, id);
    void hooks.doAction('article.created', { path: `${prefix}${path}`, id, url });
    commit?.(`${prefix}${path}`);
  };

  const trashed: ArticleTrash['trashed'] = async () =>
    trashedFiles(stateDir)
      .filter(({ id }) => catalog.byId(id).length === 0) // else it was not removed in the end, or is there again
      .map(({ text: _, path, ...shown }): TrashedArticle => ({ ...shown, path: `${prefix}${path}` }));

  /** An address of the site, or a whole one. @throws PressmarkError BODY_INVALID. */
  function checked(to: string): string {
    const isPath = /^\/(?![/\\])/.test(to);
    const address = isPath ? `${siteUrl}${to}` : to;
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address) || /[\s<>"\\]/.test(address))
      throw new PressmarkError(
        'BODY_INVALID',
        `the address ${quote(to)} is neither a path of this site such as /articles/other/ nor an absolute URL`,
      );
    return address;
  }

  // A commit may be missing since a crash.
  for (const { path } of trashedFiles(stateDir))
    if (catalog.get(path) === undefined) commit?.(`${prefix}${path}`);

  return { trash, restore, trashed };
}

/**
 * What the preview answers at the URL of an article in the trash: where it leads, null where the article is gone; undefined for
 * any other path.
 */
export function answerAt(stateDir: string, siteUrl: string, pathname: string): string | null | undefined {
  const asked = canonicalUrl(new URL(pathname, siteUrl).href);
  const found = trashedFiles(stateDir).find(({ url }) => canonicalUrl(url) === asked);
  const to = found?.redirect;
  const { origin } = new URL(siteUrl);
  return to?.startsWith(`${origin}/`) === true ? to.slice(origin.length) : to;
}
