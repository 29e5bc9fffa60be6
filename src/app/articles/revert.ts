import { isDeepStrictEqual } from 'node:util';
import type { Article } from '../../article/article.js';
import { revisionFor } from '../../article/own-revisions.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { createHooks } from '../../host/hooks/hooks.js';
import { startHost } from '../../host/host.js';
import { definePlugin } from '../../host/plugin.js';
import type { Log } from '../../log.js';
import { type ContentFolder, htmlOf } from '../../store/catalog/content-folder.js';
import type { Replacement, Target } from '../../store/precondition.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { commitsEdits, openDurableStore } from '../durability.js';
import { gitEntry } from '../plugins/first-party.js';
import { siteOfPlugins } from '../plugins/surroundings.js';
import { type ArticleHistory, articleHistory, isUncommitted, type Revision } from './article-history.js';

/** What `pressmark revert` did. */
export interface Reverted {
  readonly id: string;
  readonly url: string;
  /** Relative to the site's folder. */
  readonly file: string;
  /** The title as it is now. */
  readonly title: string;
  /** The revision that was put back, and when it was committed, or replaced before git had it. */
  readonly to: { readonly revision: string; readonly commit: string | null; readonly date: string };
  readonly from: string;
  /** The new revision's token; an update that was made from any other is stale (409). */
  readonly revision: string;
  /** The new commit; null if it has not been made yet. */
  readonly commit: string | null;
}

/**
 * Puts the content of an earlier version back, as a new revision and a new commit; id, slug, URL, date and the
 * front matter that is not Pressmark's stay as they are. Also while a receiver runs: it goes through the store,
 * under its lock.
 *
 * @param wanted a revision token, or the beginning of a commit's name, as `pressmark log` shows them.
 * @param force whether an edit that no commit has may be replaced; it is committed first.
 * @throws PressmarkError USAGE, ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, REVISION_CONFLICT, STORE_FAILED.
 */
export async function revert(
  settings: Settings,
  name: string,
  wanted: string,
  log: Log,
  { force = false }: { force?: boolean } = {},
): Promise<Reverted> {
  const history = await articleHistory(settings, name);
  const { entry, file, now } = history;
  const { stored, commit, date, revision: to } = versionIn(history, wanted);
  if (to === now.stored.article.revision) throw isThere(to);
  refuseToLose(settings, history, force);
  const { target, replacement } = await reversion(contentOf(settings), now.stored.article, file, stored);
  const { base: from, revision } = target;
  const made = await store(settings, log, target, replacement);
  const { title } = stored.article;
  return {
    id: now.stored.article.id,
    url: entry.url,
    file,
    title,
    to: { revision: to, commit, date },
    from,
    revision,
    commit: made,
  };
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

/** The one version that is meant. @throws PressmarkError ARTICLE_NOT_FOUND, USAGE. */
export function versionIn({ revisions, file }: Pick<ArticleHistory, 'revisions' | 'file'>, wanted: string) {
  const matches = ({ revision, commit }: Revision) =>
    revision === wanted || (/^[0-9a-f]{4,64}$/.test(wanted) && commit?.startsWith(wanted) === true);
  const [found, ...others] = revisions.filter(matches);
  if (found === undefined)
    throw new PressmarkError(
      'ARTICLE_NOT_FOUND',
      `${file} has no revision ${quote(wanted, 100)}; pressmark log shows those it has`,
    );
  if (others.some(({ revision }) => revision !== found.revision))
    throw new PressmarkError('USAGE', `${quote(wanted)} is several commits; give more of its name`);
  const { stored, revision } = found;
  if (stored === undefined || revision === null)
    throw new PressmarkError(
      'USAGE',
      `${found.commit?.slice(0, 10) ?? found.keptIn} holds no article to put back`,
    );
  return { ...found, stored, revision };
}

/** A person's edit is replaced only with `--force`. */
function refuseToLose(settings: Settings, history: ArticleHistory, force: boolean): void {
  if (!history.now.stored.edited || !isUncommitted(history) || commitsEdits(settings) || force) return;
  throw new PressmarkError(
    'USAGE',
    `${history.file} holds an edit that no commit has; commit it first, or add --force to have it committed and replaced`,
  );
}

/** Stores the update and commits it. @returns the commit, null if it could not be made now. */
async function store(
  settings: Settings,
  log: Log,
  target: Target,
  replacement: Replacement,
): Promise<string | null> {
  if (settings.git === false)
    throw new PressmarkError('USAGE', 'git is false in the config: nothing is committed');
  const content = contentOf(settings);
  const onChange = () => undefined;
  const hooks = createHooks(log);
  const durable = await openDurableStore({ settings, content, log, hooks, onChange, watch: false });
  try {
    const { articles, store } = durable;
    const committed = new Map<string, string>();
    const listener = definePlugin({
      name: 'revert',
      receiver: (host) => host.addAction('git.committed', ({ path, commit }) => committed.set(path, commit)),
    });
    const plugins = [...gitEntry(durable), { plugin: listener, origin: 'pressmark revert' }];
    const environment = readEnvironment(settings);
    const around = { ...siteOfPlugins(settings), environment, log, articles, hooks };
    const host = await startHost(plugins, { face: 'receiver', ...around });
    let path = '';
    try {
      const { file } = await store.update(target, async () => replacement);
      if (file === undefined) return null;
      path = `${contentPrefix(settings)}${file.path}`;
      const change = { event: 'article.updated', ...file, path, timestamp: replacement.updated } as const;
      await host.hooks.doAction('article.updated', change);
    } finally {
      await host.close();
    }
    return committed.get(path) ?? null;
  } finally {
    await durable.close();
  }
}
