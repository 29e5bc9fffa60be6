import { isDeepStrictEqual } from 'node:util';
import type { Article } from '../../article/article.js';
import { revisionFor } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { createHooks } from '../../host/hooks/hooks.js';
import { startHost } from '../../host/host.js';
import type { Log } from '../../log.js';
import { type ContentFolder, htmlOf, readArticleSync } from '../../store/catalog/content-folder.js';
import type { Replacement, Target } from '../../store/precondition.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { openDurableStore } from '../durable-store.js';
import { gitEntry } from '../plugins/first-party.js';
import { siteOfPlugins } from '../plugins/host-context.js';
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
  if (to === from) throw isThere(to);
  const content = contentOf(settings);
  const { target, replacement } = await reversion(content, now.article, file, stored);
  await store(settings, content, log, target, replacement);
  const path = file.slice(contentPrefix(settings).length);
  // A person or a hook may have committed the file again since.
  const { versions } = await historyOfFile(
    settings,
    content,
    path,
    readArticleSync(content, path).stored,
    10,
  );
  const { revision } = target;
  const made = versions.find((one) => one.revision === revision)?.commit ?? null;
  const { title } = stored.article;
  return { id, url, file, title, to: { revision: to, commit, date }, from, revision, commit: made };
}

/**
 * The update that restores an earlier version of an article.
 *
 * @param now the present article.
 * @throws PressmarkError USAGE if it would change nothing.
 */
export async function reversion(
  content: ContentFolder,
  now: Article,
  file: string,
  stored: StoredArticle,
): Promise<{ readonly target: Target; readonly replacement: Replacement }> {
  if (isSame(now, stored.article))
    throw new PressmarkError(
      'USAGE',
      `${file} has the content of ${quote(stored.article.revision, 100)} already; nothing was changed`,
    );
  return {
    target: {
      targetId: now.id,
      targetUrl: now.url,
      base: now.revision,
      revision: revisionFor('revert'),
    },
    replacement: {
      updated: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
      // if a person had edited the body, restore the body that was shown
      content: { ...stored.article, contentHtml: await htmlOf(content, stored) },
      storedBody: stored.bodyKind ?? 'markdown',
      clearsImage: true,
    },
  };
}

/** Whether two versions have the same content. */
function isSame(now: Article, then: Article): boolean {
  const without = ({ id, slug, url, date, updated, revision, ...content }: Article) => content;
  return isDeepStrictEqual(without(now), without(then));
}

/** The error for restoring the present version. */
export function isThere(revision: string): PressmarkError {
  return new PressmarkError('USAGE', `the article is at revision ${quote(revision, 100)} already`);
}

/** Stores the update and commits it. */
async function store(
  settings: Settings,
  content: ContentFolder,
  log: Log,
  target: Target,
  replacement: Replacement,
): Promise<void> {
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
      const { file } = await durable.store.update(target, async () => replacement);
      if (file === undefined) return;
      const path = `${contentPrefix(settings)}${file.path}`;
      const change = { event: 'article.updated', ...file, path, timestamp: replacement.updated } as const;
      await host.hooks.doAction('article.updated', change);
    } finally {
      await host.close();
    }
  } finally {
    await durable.close();
  }
}
