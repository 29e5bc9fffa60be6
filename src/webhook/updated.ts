import { replacementOf } from '../article/article.js';
import { updatedAnswer } from '../contract/answers.js';
import type { UpdateData } from '../contract/envelope.js';
import { PressmarkError, quote } from '../errors.js';
import type { Updated } from '../store/article-store.js';
import type { Handled, Surroundings } from './handler.js';
import { filterContent, filteredFrontMatter } from './published.js';

/**
 * `article.updated`: replace an article in place by compare-and-set (contract: article.updated, steps 2 to 6).
 *
 * The file is judged twice: once before the filters run, so that a stale update never reaches a plugin, and
 * again by the store under its lock, which is the judgement that counts.
 */
export async function updated(data: UpdateData, timestamp: string, around: Surroundings): Promise<Handled> {
  if (data.id !== data.revision_id) {
    throw new PressmarkError(
      'BODY_INVALID',
      `data.revision_id must equal data.id; got ${quote(data.revision_id)} and ${quote(data.id)}`,
    );
  }
  const { store, hooks } = around;
  const target = {
    targetId: data.target_id,
    targetUrl: data.target_url,
    base: data.base_revision_id,
    revision: data.revision_id,
  };
  const { verdict, read } = await store.judge(target);
  const { article } = read.stored;
  // A retry goes past the filters: there is nothing left to filter.
  const confirmed = verdict === 'retry' ? await store.confirm(target) : undefined;
  if (confirmed !== undefined) return handled(confirmed);
  const replacement = replacementOf(data, article);
  const draft = {
    ...replacement,
    id: article.id,
    slug: article.slug,
    date: article.date,
    extra: article.extra,
  };
  const filtered = await filterContent(draft, hooks, { event: 'article.updated', stored: article });
  // Null stays null down to the store: which image is the stored one is known only under the lock.
  const content = {
    ...filtered,
    image: data.featured_image_url === null && filtered.image === article.image ? null : filtered.image,
  };
  const extra = await filteredFrontMatter(filtered, around);
  return handled(await store.update({ ...target, updated: data.published_at, content, extra }));

  function handled({ outcome, stored }: Updated): Handled {
    const answered = { id: article.id, outcome, body: updatedAnswer(data.revision_id) };
    if (stored === undefined) return answered;
    const after = () =>
      hooks.doAction('article.updated', { event: 'article.updated', timestamp, ...around.changeOf(stored) });
    return { ...answered, after };
  }
}
