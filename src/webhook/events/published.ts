import { type ArticleDraft, draftOf, type ExtraKeys } from '../../article/article.js';
import { publishedAnswer } from '../../contract/answers.js';
import type { ArticleData } from '../../contract/envelope.js';
import { parseMoment } from '../../contract/moment.js';
import { PressmarkError, quote } from '../../errors.js';
import type { Published } from '../../store/article-store.js';
import type { StoredFile } from '../../store/write/writer.js';
import type { Handled, HandlerContext } from './handler.js';

/**
 * `article.published`: deduplicate on `data.id`, store durably, only then answer
 * (contract: POST with event article.published). A redelivery answers the stored id and URL and writes nothing, also
 * where the owner has deleted the article since.
 */
export async function published(
  data: ArticleData,
  timestamp: string,
  context: HandlerContext,
): Promise<Handled> {
  const { id, url, outcome, afterAnswer } = await publishDraft(
    data.id,
    () => draftOf(data),
    timestamp,
    context,
  );
  return { id, outcome, body: publishedAnswer(id, url), ...(afterAnswer !== undefined && { afterAnswer }) };
}

/** What became of a published article, new or known. */
export interface PublishedDraft {
  readonly id: string;
  readonly url: string;
  readonly outcome: Result['outcome'];
  /** The new file; only where the article was stored now. */
  readonly file?: StoredFile;
  /** Runs after the answer has gone out. */
  readonly afterAnswer?: () => Promise<void>;
}

/**
 * Stores an article unless its id is known.
 *
 * @param makeDraft not called for an id that is known.
 * @param timestamp when it was sent, ISO 8601.
 */
export async function publishDraft(
  id: string,
  makeDraft: () => ArticleDraft,
  timestamp: string,
  context: HandlerContext,
): Promise<PublishedDraft> {
  const { store, hooks, knownIds } = context;
  // Known ids go past the filters: what a plugin does to new articles does not concern a redelivery.
  const result = await store
    .publish(id, async (waitFor) => {
      await refuseReplay(id, timestamp, context);
      const draft = await filteredDraft(makeDraft(), context);
      waitFor(context.noteJobs?.('article.published', { id, timestamp }));
      return draft;
    })
    .catch(answerIfDeleted);
  const { url, outcome } = result;
  // Before the answer: what was acknowledged and is gone later was deleted.
  if (outcome === 'stored') await knownIds.add({ id, url });
  const file = result.outcome === 'deleted' ? undefined : result.file;
  if (file === undefined) return { id, url, outcome };
  const afterAnswer = () =>
    hooks.doAction('article.published', {
      event: 'article.published',
      timestamp,
      ...context.changeOf(file),
    });
  return { id, url, outcome, file, afterAnswer };
}

/** What became of a publication; `deleted`: the article was known, and its owner has deleted it. */
type Result = Published | { readonly outcome: 'deleted'; readonly id: string; readonly url: string };

/** Thrown where the owner has deleted the article. */
class Deleted extends Error {
  constructor(readonly article: { readonly id: string; readonly url: string }) {
    super('the article was deleted');
  }
}

function answerIfDeleted(error: unknown): Result {
  if (error instanceof Deleted) return { outcome: 'deleted', ...error.article };
  throw error;
}

/**
 * A delivery whose id no file has is a new article, unless its owner has deleted the article, or it is too old to be new.
 *
 * @throws Deleted; PressmarkError BODY_INVALID.
 */
async function refuseReplay(
  id: string,
  timestamp: string,
  { store, knownIds, maxAgeMs }: HandlerContext,
): Promise<void> {
  const url = knownIds.urlOfDeleted(id);
  if (url !== undefined) {
    await lookFor(url, store);
    // Another receiver may have stored it just now.
    if (knownIds.urlOfDeleted(id) === undefined) return;
    throw new Deleted({ id, url });
  }
  if (maxAgeMs !== undefined && Date.now() - parseMoment(timestamp) > maxAgeMs)
    throw new PressmarkError(
      'BODY_INVALID',
      `timestamp ${quote(timestamp)} is older than replay.maxAge allows (${maxAgeMs / 3_600_000} h), and no article has this id; nothing was stored`,
    );
}

/** Lets the store read new files in the content folder, as for a lookup. */
async function lookFor(url: string, { find }: HandlerContext['store']): Promise<void> {
  try {
    await find(url);
  } catch (error) {
    if (!(error instanceof PressmarkError && error.status === 404)) throw error;
  }
}

async function filteredDraft(draft: ArticleDraft, context: HandlerContext): Promise<ArticleDraft> {
  const { hooks } = context;
  const filtered = await filterContent(draft, context, { event: 'article.published', stored: null });
  const suggestion = await hooks.applyFilters('article.slug', draft.slug, filtered);
  const slug = context.slug?.(suggestion, filtered.title, draft.id) ?? suggestion;
  const extra = await filteredFrontMatter(filtered, context, draft.extra);
  const { source: _, ...stored } = filtered;
  const { received, revision } = draft;
  return {
    ...stored,
    slug,
    extra,
    ...(received !== undefined && { received }),
    ...(revision !== undefined && { revision }),
  };
}

/** The front matter besides Pressmark's own: what an adapter has handed over, and what plugins make of it. */
export async function filteredFrontMatter(
  draft: ArticleDraft,
  { hooks, log, isOwnKey }: HandlerContext,
  given: ExtraKeys,
): Promise<ExtraKeys> {
  const isFiltered = hooks.hasFilter('article.frontMatter');
  const filtered = isFiltered ? await hooks.applyFilters('article.frontMatter', given, draft) : given;
  // A value that JSON does not have, such as undefined, would make invalid YAML.
  const extra: ExtraKeys = JSON.parse(JSON.stringify(filtered));
  const own = Object.keys(extra).filter(isOwnKey);
  if (own.length > 0)
    log.warn(
      { keys: own },
      'filter article.frontMatter: these keys are Pressmark’s own; they are left as they are',
    );
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !isOwnKey(key)));
}

/** Hands a draft through `article.draft` and puts back what the contract does not leave to plugins. */
export async function filterContent(
  draft: ArticleDraft,
  { hooks, codec }: Pick<HandlerContext, 'hooks' | 'codec'>,
  context: Parameters<typeof hooks.applyFilters<'article.draft'>>[2],
): Promise<ArticleDraft> {
  if (!hooks.hasFilter('article.draft')) return draft;
  const { id, slug, date, extra, jsonLd, source } = draft;
  const filtered = await hooks.applyFilters('article.draft', draft, context);
  const changed = withOneHtml(draft, filtered);
  const keep = (text: string, before: string) => (text === before ? text : codec.keepComments(text, before));
  const contentHtml = await keep(changed.contentHtml, draft.contentHtml);
  const body = await keep(changed.body, draft.body);
  // By name, so that no key travels on that a plugin has added: the store lays the draft over its own.
  const { title, description, author, tags, keyword, image, held } = filtered;
  const content = { title, description, author, tags, keyword, image, jsonLd, contentHtml, body };
  return {
    id,
    slug,
    date,
    extra,
    ...content,
    ...(held !== undefined && { held }),
    ...(source !== undefined && { source }),
  };
}

/** What came without Markdown has its HTML for a body, also after a plugin has changed one of the two. */
function withOneHtml(
  draft: ArticleDraft,
  { body, contentHtml }: ArticleDraft,
): Pick<ArticleDraft, 'body' | 'contentHtml'> {
  if (draft.body !== draft.contentHtml || body === contentHtml) return { body, contentHtml };
  if (body === draft.body) return { body: contentHtml, contentHtml };
  return contentHtml === draft.contentHtml ? { body, contentHtml: body } : { body, contentHtml };
}
