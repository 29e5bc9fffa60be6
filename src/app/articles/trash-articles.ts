import { shortened } from '../../article/names.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError, quote } from '../../errors.js';
import { type Editors, removedKey, restoredKey } from '../../git/commit/editors.js';
import type { ArticleTrash, TrashedArticle } from '../../host/articles/trash.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { catalogId, LONGEST_TITLE } from '../../store/catalog/entry.js';
import type { KnownIds } from '../../store/known-ids.js';
import { openTrash, type Trashed } from '../../store/trash.js';
import type { HandlerContext } from '../../webhook/events/published.js';
import { checkBase } from './change-article.js';
import { noteEditor } from './person/versions.js';
import { isElsewhere } from './stored-urls.js';

export interface TrashOptions {
  readonly store: ArticleStore;
  readonly catalog: Catalog;
  readonly stateDir: string;
  /** The content folder relative to the site's folder, with a trailing slash. */
  readonly prefix: string;
  readonly siteUrl: string;
  readonly editors: Editors;
  readonly knownIds: Pick<KnownIds, 'add'>;
  readonly hooks: Pick<HandlerContext['hooks'], 'doAction'>;
  /** Commits the removal or the return of a file; undefined if nothing is committed. */
  readonly commit: ((path: string) => void) | undefined;
}

/** Removed articles, which people can restore. */
export function createTrash(options: TrashOptions) {
  const { store, catalog, stateDir, prefix, siteUrl, editors, knownIds, hooks, commit } = options;
  const files = openTrash(stateDir);
  const { origin, protocol } = new URL(siteUrl);

  const trash: ArticleTrash['trash'] = async (id, base, { redirect = null }, by) => {
    const to = redirect === null ? null : addressOf(redirect, siteUrl);
    const at = new Date().toISOString();
    const { article, path } = await store.remove(id, async ({ text, stored: { article } }, path) => {
      checkBase(article, base);
      if (to !== null && leadsTo(to, article.url))
        throw new PressmarkError('BODY_INVALID', 'the URL of the article would lead to itself');
      await noteEditor(editors, removedKey(`${prefix}${path}`), by);
      const { url } = article;
      // The id may not be noted yet, if the article came with `git pull` a moment ago.
      await knownIds.add({ id, url });
      const title = shortened(article.title, LONGEST_TITLE);
      await files.keep({ id: catalogId(id), url, title, path, at, by: by.name, redirect: to }, text);
    });
    void hooks.doAction('article.removed', { path: `${prefix}${path}`, id, url: article.url });
    commit?.(`${prefix}${path}`);
  };

  const restore: ArticleTrash['restore'] = async (id, by) => {
    const one = found(id);
    const { path, url } = one;
    if (isElsewhere({ url, address: undefined }, siteUrl))
      throw new PressmarkError(
        'USAGE',
        `the site has moved since, and ${url} is not at its address ${siteUrl}; stop the receiver, put the file ${prefix}${path} back from git, and run pressmark move ${siteUrl}`,
      );
    await noteEditor(editors, restoredKey(`${prefix}${path}`), by);
    await store.restore(one.id, path, files.textOf(one));
    void hooks.doAction('article.created', { path: `${prefix}${path}`, id, url });
    commit?.(`${prefix}${path}`);
    await files.drop(one); // last: if the disk is full, the article is there all the same
  };

  const deleteTrashed: ArticleTrash['deleteTrashed'] = async (id) => {
    const one = found(id);
    const { path, url, redirect } = one;
    await files.drop(one);
    // The site is built again, without the redirect.
    if (redirect !== null && catalog.get(path) === undefined)
      void hooks.doAction('article.removed', { path: `${prefix}${path}`, id, url });
  };

  const trashed: ArticleTrash['trashed'] = async () =>
    files
      .list()
      .filter(isGone)
      .map((one): TrashedArticle => ({ ...one, path: `${prefix}${one.path}` }));

  /** Whether the article is really gone: the removal may have failed, or the article may be back. */
  function isGone({ id }: Trashed): boolean {
    return catalog.byId(id).length === 0;
  }

  function found(id: string): Trashed {
    const one = files.get(catalogId(id));
    if (one === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `no article with the id ${quote(id)} is in the trash`);
    return one;
  }

  /** Whether an address is a place, or leads there by redirects of the trash. */
  function leadsTo(address: string, place: string): boolean {
    const seen = new Set<string>();
    for (let at: string | null = address; at !== null && !seen.has(at); ) {
      if (isSamePlace(at, place)) return true;
      seen.add(at);
      const one = files.at(canonicalUrl(new URL(at).href.replace(/^https?:/, protocol)) ?? at);
      at = one !== undefined && isGone(one) ? one.redirect : null;
    }
    return false;
  }

  /** The answer at a path of the trash: a redirect, or null for 410; undefined for any other path. */
  function answerAt(pathname: string): string | null | undefined {
    const url = canonicalUrl(`${origin}${pathname}`);
    const one = url === undefined ? undefined : files.at(url);
    if (url === undefined || one === undefined || !isGone(one) || catalog.byUrl(url).length > 0)
      return undefined;
    const to = one.redirect;
    const path = to?.startsWith(origin) === true ? to.slice(origin.length) : '';
    return PATH.test(path) ? path : to;
  }

  // A crash may have prevented the commit.
  for (const { path } of files.list()) if (catalog.get(path) === undefined) commit?.(`${prefix}${path}`);

  return { articles: { trash, restore, deleteTrashed, trashed } satisfies ArticleTrash, answerAt };
}

/** A path on this host; browsers read `//name` as another host. */
const PATH = /^\/(?![/\\])/;

/**
 * A redirect target: an address of the site, or an absolute URL.
 *
 * @param to a path may be written as browsers show it, or without the site's base path.
 * @throws PressmarkError BODY_INVALID.
 */
function addressOf(to: string, siteUrl: string): string {
  const { origin, pathname } = new URL(`${siteUrl}/`);
  const base = `${to}/`.startsWith(pathname) ? origin : siteUrl;
  const address = PATH.test(to) ? `${base}${to}` : to;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address) || /[\s<>"\\]/.test(address))
    throw new PressmarkError(
      'BODY_INVALID',
      `the address ${quote(to)} is neither a path of this site such as /articles/other/ nor an absolute URL`,
    );
  return address;
}

/** Whether two addresses are the same place. The protocol is ignored, as hosts redirect from one to the other. */
function isSamePlace(address: string, url: string): boolean {
  const [one, other] = [new URL(address).href, url].map((text) =>
    canonicalUrl(text)?.replace(/^https?:/i, ''),
  );
  return one !== undefined && one === other;
}
