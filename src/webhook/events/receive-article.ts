import { randomBytes } from 'node:crypto';
import { type Article, draftOf } from '../../article/article.js';
import { isOfPerson } from '../../article/own-revisions.js';
import { isHtml, type StoredArticle } from '../../article/stored-article.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Articles, HandedOver } from '../../host/articles/articles.js';
import type { IncomingArticle, ReceivedArticle } from '../../host/http/adapter.js';
import { type HandlerContext, publishDraft } from './published.js';
import type { ReadArticle } from './read-incoming.js';
import { filteredReplacement } from './updated.js';

/** How often an update is tried, if the article changes meanwhile. */
const MOST_ATTEMPTS = 5;

/** The reason of an article that its adapter hands over as held. */
const BY_SERVICE = 'by its service';

function heldBy(state: IncomingArticle['state']): string | undefined {
  return state === 'held' ? BY_SERVICE : undefined;
}

/** Stores articles from adapters; see the methods of `Articles`. */
export type ArticleReceiver = Pick<Articles, 'receive' | 'change'>;

/** An article from an adapter, as received and as read. */
interface Incoming extends ReadArticle {
  readonly incoming: IncomingArticle;
}

/**
 * Creates the functions that store articles of other services. Like a delivery, an article is deduplicated by id, filtered, and
 * stored durably.
 *
 * The article's file has the digest of the last received content. The same content writes nothing, however the article has
 * changed since. Other content for a known id is an update of the stored version by compare-and-set, unless that is a person's
 * edit.
 */
export function createArticleReceiver(context: HandlerContext): ArticleReceiver {
  const { store, hooks } = context;

  async function receive(incoming: IncomingArticle): Promise<ReceivedArticle> {
    const now = new Date().toISOString();
    const read = await readIncoming(incoming, now);
    const { data, received } = read;
    const { id } = data;
    const extra = incoming.frontMatter ?? {};
    const held = heldBy(incoming.state);
    const { url, outcome, file, afterAnswer } = await publishDraft(
      id,
      () => ({ ...draftOf(data), extra, received, ...(held !== undefined && { held }) }),
      now,
      context,
    );
    later(afterAnswer);
    if (outcome === 'deleted' || file?.article.received === received) return { id, url, outcome };
    return replace(id, now, async () => read);
  }

  const change: Articles['change'] = (id, make) => {
    const now = new Date().toISOString();
    return replace(id, now, async (stored) => {
      const before = handedOver(stored, await context.editable(stored));
      const { state, date, ...content } = { ...(await make(before)), id };
      const isShownElse = state !== before.state || date !== before.date;
      return readIncoming({ ...content, ...(isShownElse && { state: state ?? before.state, date }) }, now);
    });
  };

  async function readIncoming(incoming: IncomingArticle, now: string): Promise<Incoming> {
    const read = { ...(await context.readIncoming(incoming, now)), incoming };
    const own = Object.keys(incoming.frontMatter ?? {}).filter(context.isOwnKey);
    if (own.length === 0) return read;
    throw new PressmarkError(
      'BODY_INVALID',
      `an article that was handed over has Pressmark’s own keys in its frontMatter: ${own.join(', ')}`,
    );
  }

  async function replace(
    id: string,
    now: string,
    next: (stored: StoredArticle) => Promise<Incoming>,
  ): Promise<ReceivedArticle> {
    for (let attempt = 1; ; attempt++) {
      const found = await store.get(id);
      if (found === undefined)
        throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no file of article ${quote(id)}`);
      const { article, edited } = found;
      const incoming = await next(found);
      if (article.received === incoming.received) return { id, url: article.url, outcome: 'known' };
      if (edited || isOfPerson(article.revision))
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} has been edited by a person, whose text stays; the new content was not stored`,
        );
      try {
        await update(article, incoming, now);
        return { id, url: article.url, outcome: 'updated' };
      } catch (error) {
        const isStale = error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
        if (!isStale || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  async function update(
    article: Article,
    { data, received, incoming }: Incoming,
    now: string,
  ): Promise<void> {
    const { id: targetId, url: targetUrl, revision: base } = article;
    const target = { targetId, targetUrl, base, revision: `received-${randomBytes(12).toString('hex')}` };
    const { state, date, frontMatter } = incoming;
    const { file } = await store.update(target, async (current, waitFor) => {
      const sent = { ...data, published_at: now };
      // A service releases what it has held itself, and nothing that a plugin or a person holds.
      const isReleased = state === 'live' && current.held === BY_SERVICE;
      const before = isReleased ? undefined : (current.held ?? heldBy(state));
      const next = await filteredReplacement(sent, current, before, context, waitFor, frontMatter ?? {});
      if (!state) return { ...next, received };
      return { ...next, received, state: { held: next.held, ...(date && { date }) } };
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

  return { receive, change };
}

/**
 * An article as an adapter hands it over. @param text without the escapes for the site's generator.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND if no adapter has handed it over.
 */
function handedOver(stored: StoredArticle, text: string): HandedOver {
  const { article } = stored;
  const { id, title, description, tags, author, keyword, image, date, extra } = article;
  if (article.received === undefined)
    throw new PressmarkError('ARTICLE_NOT_FOUND', `no adapter has handed over article ${quote(id)}`);
  return {
    id,
    title,
    ...(isHtml(stored) ? { contentHtml: text } : { contentHtml: '', markdown: text }),
    description,
    tags,
    author,
    keyword,
    image,
    date,
    state: article.held === undefined ? 'live' : 'held',
    frontMatter: extra,
  };
}

/** Runs the actions of an article after its adapter has had time to answer. */
function later(actions: (() => Promise<void>) | undefined): void {
  if (actions !== undefined) setImmediate(() => void actions());
}
