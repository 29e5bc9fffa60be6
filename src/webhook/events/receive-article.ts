import { randomBytes } from 'node:crypto';
import { type Article, draftOf } from '../../article/article.js';
import { isOfPerson } from '../../article/own-revisions.js';
import { PressmarkError, quote } from '../../errors.js';
import type { IncomingArticle, ReceivedArticle } from '../../host/http/adapter.js';
import type { HandlerContext } from './handler.js';
import { publishDraft } from './published.js';
import type { ReadArticle } from './read-incoming.js';
import { filteredReplacement } from './updated.js';

/** How often other content is compared anew, where the article changes at the same moment. */
const MOST_ATTEMPTS = 5;

/** Why an article is held that an adapter has handed over so. */
const BY_SERVICE = 'by its service';

/** Stores what an adapter hands over; see `Articles.receive`. */
export type ReceiveArticle = (incoming: IncomingArticle) => Promise<ReceivedArticle>;

/**
 * Makes the function that stores articles of other services. They go the way of a delivery: deduplicated by id, filtered, durable.
 *
 * The article's file has the digest of what was handed over last. The same again writes nothing, whatever has become of the
 * article. Other content for a known id is an update by compare-and-set upon the version that is stored, unless that is a
 * person's edit, which nothing replaces without having been made from it.
 */
export function createArticleReceiver(context: HandlerContext): ReceiveArticle {
  const { store, hooks } = context;

  return async (incoming) => {
    const now = new Date().toISOString();
    const { data, received } = await context.readIncoming(incoming, now);
    const { id } = data;
    const { url, outcome, file, afterAnswer } = await publishDraft(
      id,
      () => ({ ...draftOf(data), received, ...(incoming.state === 'held' && { held: BY_SERVICE }) }),
      now,
      context,
    );
    later(afterAnswer);
    if (outcome === 'deleted' || file?.article.received === received) return { id, url, outcome };
    for (let attempt = 1; ; attempt++) {
      const found = await store.get(id);
      if (found === undefined)
        throw new PressmarkError(
          'ARTICLE_NOT_FOUND',
          `the file of article ${quote(id)} was just removed; send it again`,
        );
      if (found.article.received === received) return { id, url, outcome: 'known' };
      const { base } = incoming;
      // Only with `base` is it known that the adapter has seen an edit in the admin.
      if (found.edited || (isOfPerson(found.article.revision) && base !== found.article.revision))
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} was edited by a person; its new content was not stored`,
        );
      if (base && base !== found.article.revision)
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} is at ${quote(found.article.revision)}, and its new content was made from ${quote(base)}`,
        );
      try {
        await update(found.article, { data, received }, incoming, now);
        return { id, url, outcome: 'updated' };
      } catch (error) {
        const isStale = error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
        if (!isStale || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  };

  async function update(
    article: Article,
    { data, received }: ReadArticle,
    { state, date }: IncomingArticle,
    now: string,
  ): Promise<void> {
    const { id: targetId, url: targetUrl, revision: base } = article;
    const target = { targetId, targetUrl, base, revision: `received-${randomBytes(12).toString('hex')}` };
    const { file } = await store.update(target, async (current, waitFor) => {
      const next = await filteredReplacement({ ...data, published_at: now }, current, context, waitFor);
      if (!state) return { ...next, received };
      // What a plugin holds now stays held.
      const byPlugin = next.held === current.held ? undefined : next.held;
      const held = byPlugin ?? (state === 'held' ? BY_SERVICE : undefined);
      return { ...next, received, state: { held, ...(date && { date }) } };
    });
    if (file === undefined) return;
    later(() =>
      hooks.doAction('article.updated', {
        event: 'article.updated',
        timestamp: now,
        ...context.changeOf(file),
      }),
    );
  }
}

/** Runs the actions of an article when its adapter has had the time to answer. */
function later(actions: (() => Promise<void>) | undefined): void {
  if (actions !== undefined) setImmediate(() => void actions());
}
