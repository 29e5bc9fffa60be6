import type { Article } from '../../../article/article.js';
import type { StoredArticle } from '../../../article/stored-article.js';
import type { Settings } from '../../../config/load.js';
import { PressmarkError, quote } from '../../../errors.js';
import type { Editors } from '../../../git/commit/editors.js';
import type { ArticleEdits } from '../../../host/articles/edits.js';
import type { Editor } from '../../../host/articles/trash.js';
import type { ArticleStore } from '../../../store/article-store.js';
import type { Found } from '../../../store/reading.js';
import type { HandlerContext } from '../../../webhook/events/published.js';
import type { AskedWork } from '../../content/article-codec.js';
import { changeArticle, checkBase } from '../change-article.js';
import { historyOfFile, versionIn, versionInCommit } from '../history.js';
import type { HostArticlesOptions } from '../host-articles.js';
import { reverted } from '../revert.js';

/** The number of newest commits in which a version is searched, as a person is waiting. */
const MOST_SEARCHED = 1_000;

export interface VersionsOptions extends Pick<HostArticlesOptions, 'store' | 'content'> {
  readonly settings: Settings;
  readonly context: HandlerContext;
  readonly editors: Editors;
  readonly texts: AskedWork;
}

/** The versions of an article, for people to view and restore in an admin. */
export function createVersions({
  settings,
  store,
  content,
  context,
  editors,
  texts,
}: VersionsOptions): Pick<ArticleEdits, 'history' | 'at' | 'revert'> {
  const history: ArticleEdits['history'] = async (id, most) => {
    const { versions } = await historyOf(await mustGet(store, id), most);
    // The author of a commit that joins several edits is not the author of each.
    return versions.slice(0, most).map(({ stored: _, ...one }) => ({
      ...one,
      author: (one.revision === null ? undefined : editors.of(one.revision)) ?? one.author,
    }));
  };

  async function at(id: string, revision: string): Promise<Article> {
    const stored = await versionOf(await mustGet(store, id), revision);
    return { ...stored.article, body: await texts.editable(stored) };
  }

  /** @param revision or the name of a commit, which is found without the history if the file has kept its name. */
  async function versionOf(found: Found, revision: string): Promise<StoredArticle> {
    const { id } = found.article;
    if (found.article.revision === revision) return found;
    const isCommit = /^[0-9a-f]{40,64}$/.test(revision);
    const stored = isCommit && (await versionInCommit(settings, content, { id, path: found.path }, revision));
    return stored || versionIn(await historyOf(found, MOST_SEARCHED), revision).stored;
  }

  const revert: ArticleEdits['revert'] = async (id, wanted, base, by) => {
    const then = await versionOf(await mustGet(store, id), wanted);
    return changeArticle({ store, content, context }, id, async (read, path) => {
      checkBase(read.stored.article, base);
      const next = await reverted(content, read, path, then);
      await noteEditor(editors, next.article.revision, by);
      return next;
    });
  };

  function historyOf(found: Found, most?: number) {
    return historyOfFile(settings, content, found.path, found, most);
  }

  return { history, at, revert };
}

/** Notes the person behind a revision before it is stored, as the author of its commit. */
export async function noteEditor(
  editors: Editors,
  revision: string,
  { name, email = '' }: Editor,
): Promise<void> {
  try {
    await editors.note(revision, { name, email });
  } catch (cause) {
    throw new PressmarkError('STORE_FAILED', 'the author of the change could not be noted', { cause });
  }
}

/** @throws PressmarkError ARTICLE_NOT_FOUND. */
export async function mustGet(store: Pick<ArticleStore, 'get'>, id: string): Promise<Found> {
  const found = await store.get(id);
  if (found === undefined)
    throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article with the id ${quote(id)}`);
  return found;
}
