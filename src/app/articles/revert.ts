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
import { openDurableStore } from '../durability.js';
import { gitEntry } from '../plugins/first-party.js';
import { siteOfPlugins } from '../plugins/host-context.js';
import { articleHistory, historyOfFile, versionIn } from './history.js';

/** What `pressmark revert` did. */
export interface Reverted {
  readonly id: string;
  readonly url: string;
  /** Relative to the site's folder. */
  readonly file: string;
  /** The title as it is now. */
  readonly title: string;
  /** The revision that was put back, and when it was committed, or replaced before git had it. */
  readonly to: { readonly revision: string; readonly commit: string | null; readonly date: string | null };
  readonly from: string;
  /** The new revision's token; an update that was made from any other is stale (409). */
  readonly revision: string;
  /** The new commit; null if it has not been made yet. */
  readonly commit: string | null;
}

/**
 * Puts the content of an earlier version back, as a new revision and a new commit; id, slug, URL, date and the
 * front matter that is not Pressmark's stay as they are. An edit that no commit has is committed first. Also while a
 * receiver runs: it goes through the store, under its lock.
 *
 * @param wanted a revision token, or the beginning of a commit's name, as `pressmark log` shows them.
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
 * The update that puts an earlier version of an article back.
 *
 * @param now the article as it is.
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
      // where a person had edited the body, the body is what was shown
      content: { ...stored.article, contentHtml: await htmlOf(content, stored) },
      storedBody: stored.bodyKind ?? 'markdown',
      clearsImage: true,
    },
  };
}

/** Whether putting one text in place of the other would change nothing that is shown or kept. */
function isSame(now: Article, then: Article): boolean {
  const without = ({ id, slug, url, date, updated, revision, ...content }: Article) => content;
  return isDeepStrictEqual(without(now), without(then));
}

/** The error where the version that is to be put back is the present one. */
export function isThere(revision: string): PressmarkError {
  return new PressmarkError('USAGE', `the article is at revision ${quote(revision, 100)} already`);
}

/** Stores the update, and has it committed. */
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
