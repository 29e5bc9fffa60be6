import { type Article, type ExtraKeys, replacementOf } from '../../article/article.js';
import { updatedAnswer } from '../../contract/answers.js';
import type { ArticleData, UpdateData } from '../../contract/envelope.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Replacement } from '../../store/precondition.js';
import type { WaitFor } from '../../store/write/article-files.js';
import { filterContent, filteredFrontMatter, type Handled, type HandlerContext } from './published.js';

/**
 * `article.updated`: replace an article in place by compare-and-set (contract: article.updated, steps 2 to 6).
 *
 * The store checks the precondition before the filters run, so that a stale update never reaches a plugin, and again under its
 * lock, which is the decisive check.
 */
export async function updated(
  data: UpdateData,
  timestamp: string,
  context: HandlerContext,
): Promise<Handled> {
  if (data.id !== data.revision_id) {
    throw new PressmarkError(
      'BODY_INVALID',
      `data.revision_id must equal data.id; got ${quote(data.revision_id)} and ${quote(data.id)}`,
    );
  }
  const { store, hooks } = context;
  const target = {
    targetId: data.target_id,
    targetUrl: data.target_url,
    base: data.base_revision_id,
    revision: data.revision_id,
  };
  const { outcome, file } = await store.update(target, (article, waitFor) =>
    filteredReplacement(data, article, article.held, context, waitFor),
  );
  const handled = { id: data.target_id, outcome, body: updatedAnswer(data.revision_id) };
  if (file === undefined) return handled;
  const afterAnswer = () =>
    hooks.doAction('article.updated', { event: 'article.updated', timestamp, ...context.changeOf(file) });
  return { ...handled, afterAnswer };
}

/**
 * The replacement of an article, after the filters. `data.published_at` is the moment of the update.
 *
 * @param held why the article is held, unless a filter says otherwise.
 * @param frontMatter the additional front matter. @default none
 */
export async function filteredReplacement(
  data: ArticleData,
  article: Article,
  held: string | undefined,
  context: HandlerContext,
  waitFor: WaitFor,
  frontMatter: ExtraKeys = {},
): Promise<Replacement> {
  const replacement = replacementOf(data, article);
  const draft = {
    ...replacement,
    id: article.id,
    slug: article.slug,
    date: article.date,
    extra: article.extra,
    ...(held !== undefined && { held }),
    ...(data.source !== undefined && { source: data.source }),
  };
  const filtered = await filterContent(draft, context, { event: 'article.updated', stored: article });
  // Null is passed on to the store, which knows the stored image only under the lock.
  const content = {
    ...filtered,
    image: data.featured_image_url === null && filtered.image === article.image ? null : filtered.image,
  };
  const extra = await filteredFrontMatter(filtered, context, frontMatter);
  const { id, revision: base } = article;
  waitFor(context.noteJobs?.('article.updated', { id, base, timestamp: data.published_at }));
  return {
    updated: data.published_at,
    content,
    extra,
    ...(filtered.held !== undefined && { held: filtered.held }),
  };
}
