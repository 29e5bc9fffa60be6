import { isDeepStrictEqual } from 'node:util';
import { type Article, contentFields } from '../../article/article.js';
import { revisionFor } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { createHooks } from '../../host/hooks/hooks.js';
import { startHost } from '../../host/host.js';
import type { Log } from '../../log.js';
import {
  type ContentFolder,
  htmlOf,
  type ReadFile,
  readArticleSync,
} from '../../store/catalog/content-folder.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { openDurableStore } from '../durable-store.js';
import { gitEntry } from '../plugins/first-party.js';
import { siteOfPlugins } from '../plugins/host-context.js';
import { checkBase, type MakeFile } from './change-article.js';
import { articleHistory, historyOfFile, versionIn } from './history.js';

/** The result of `pressmark revert`. */
export interface Reverted {
  readonly id: string;
  readonly url: string;
  /** Relative to the site's folder. */
  readonly file: string;
  /** The title after the revert. */
  readonly title: string;
  /** The restored revision, and when it was committed, or replaced before it was committed. */
  readonly to: { readonly revision: string; readonly commit: string | null; readonly date: string | null };
  readonly from: string;
  /** The new revision; an update based on any other is stale (409). */
  readonly revision: string;
  /** The new commit; null if it is still to come. */
  readonly commit: string | null;
}

/**
 * Restores the content of an earlier version, as a new revision and a new commit. Id, slug, URL, date and the owner's front
 * matter stay. An uncommitted edit is committed first. A receiver may be running, as the change goes through the store under
 * its lock.
 *
 * @param wanted a revision, or the beginning of a commit's name, as `pressmark log` shows them.
 * @throws PressmarkError USAGE, ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, REVISION_CONFLICT, STORE_FAILED.
 */
export async function revert(settings: Settings, name: string, wanted: string, log: Log): Promise<Reverted> {
  const history = await articleHistory(settings, name);
  const { file, now } = history;
  const { id, url, revision: from } = now.article;
  const { stored, commit, date, revision: to } = versionIn(history, wanted);
  if (to === from) throw new PressmarkError('USAGE', `the article is at revision ${quote(to, 100)} already`);
  const content = contentOf(settings);
  const { revision } = await change(settings, content, log, id, async (read, path) => {
    checkBase(read.stored.article, from);
    return reverted(content, read, path, stored);
  });
  const path = file.slice(contentPrefix(settings).length);
  // A person or a hook may have committed the file again since.
  const { versions } = await historyOfFile(
    settings,
    content,
    path,
    readArticleSync(content, path).stored,
    10,
  );
  const made = versions.find((one) => one.revision === revision)?.commit ?? null;
  const { title } = stored.article;
  return { id, url, file, title, to: { revision: to, commit, date }, from, revision, commit: made };
}

/**
 * The file of an article with the content of an earlier version.
 *
 * @throws PressmarkError USAGE if it would change nothing.
 */
export async function reverted(
  content: ContentFolder,
  { text, stored }: ReadFile,
  path: string,
  then: StoredArticle,
): ReturnType<MakeFile> {
  const { article: now } = stored;
  const { article, bodyKind = 'markdown' } = then;
  if (isSame(now, article))
    throw new PressmarkError(
      'USAGE',
      `the article has the content of ${quote(article.revision, 100)} already; nothing was changed`,
    );
  const next = {
    ...now,
    // If a person had edited the body, the HTML is that of the edited one.
    ...contentFields({ ...article, contentHtml: await htmlOf(content, then) }),
    updated: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    revision: revisionFor('revert'),
  };
  return { ...(await content.codec.amend(text, stored, next, path, bodyKind)), seals: true };
}

/** Whether two versions have the same content. */
function isSame(now: Article, then: Article): boolean {
  const without = ({ id, slug, url, date, updated, revision, ...content }: Article) => content;
  return isDeepStrictEqual(without(now), without(then));
}

/** Changes the article, and commits it. */
async function change(
  settings: Settings,
  content: ContentFolder,
  log: Log,
  id: string,
  make: MakeFile,
): Promise<Article> {
  if (settings.git === false)
    throw new PressmarkError('USAGE', 'git is false in the config: nothing is committed');
  const onChange = () => undefined;
  const hooks = createHooks(log);
  const durable = await openDurableStore({ settings, content, log, hooks, onChange, watch: false });
  try {
    const environment = readEnvironment(settings);
    const around = { ...siteOfPlugins(settings), environment, log, articles: durable.articles, hooks };
    const host = await startHost(gitEntry(durable), { face: 'receiver', ...around });
    try {
      const { article, stored } = await durable.store.change(id, make);
      if (stored !== undefined) {
        const path = `${contentPrefix(settings)}${stored.path}`;
        const timestamp = article.updated ?? article.date;
        await host.hooks.doAction('article.updated', {
          event: 'article.updated',
          ...stored,
          path,
          timestamp,
        });
      }
      return article;
    } finally {
      await host.close();
    }
  } finally {
    await durable.close();
  }
}
