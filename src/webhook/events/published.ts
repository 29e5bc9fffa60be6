import { type ArticleDraft, draftOf, type ExtraKeys } from '../../article/article.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { publishedAnswer } from '../../contract/answers.js';
import type { ArticleData, ContractHeader, Delivery } from '../../contract/envelope.js';
import { parseMoment } from '../../contract/moment.js';
import { PressmarkError, quote } from '../../errors.js';
import type { ArticleChange } from '../../host/hooks/hook-types.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { IncomingArticle } from '../../host/http/adapter.js';
import type { Jobs } from '../../host/jobs/jobs.js';
import type { Log } from '../../log.js';
import type { ArticleStore, Published } from '../../store/article-store.js';
import type { ArticleCodec } from '../../store/catalog/content-folder.js';
import type { KnownIds } from '../../store/known-ids.js';
import type { StoredFile } from '../../store/write/article-files.js';
import type { ReadArticle } from './read-incoming.js';

/** The context for handlers of events. */
export interface HandlerContext {
  readonly store: ArticleStore;
  /** The ids of all articles that were ever stored, to recognise deleted ones. */
  readonly knownIds: Pick<KnownIds, 'urlOfDeleted' | 'add'>;
  /** How old the timestamp of a new article may be, in milliseconds; undefined for any age. */
  readonly maxAgeMs: number | undefined;
  /** See the function of this name; in another thread. */
  readonly readDelivery: (body: Buffer, contract: ContractHeader) => Promise<Delivery>;
  /** See the function of this name; in another thread. */
  readonly readIncoming: (incoming: IncomingArticle, now: string) => Promise<ReadArticle>;
  /** The text of an article without the escapes for the site's generator: Markdown, or HTML if `isHtml`. */
  readonly editable: (stored: StoredArticle) => Promise<string>;
  readonly codec: Pick<ArticleCodec, 'keepComments'>;
  /** Makes the slug of a new article; undefined if the suggestion is used as it is. */
  readonly slug: ((suggestion: string, title: string, id: string) => string) | undefined;
  readonly hooks: Hooks;
  /** Notes an article for the jobs of plugins before it is stored. */
  readonly noteJobs?: Jobs['noteArticle'];
  readonly log: Log;
  /** Whether a front matter key is Pressmark's own, which plugins may not set. */
  isOwnKey(key: string): boolean;
  /** A stored file in the form for actions. */
  changeOf(stored: StoredFile): Pick<ArticleChange, 'article' | 'path' | 'text' | 'replaced'>;
}

/** The result of a handler; always a 200. */
export interface Handled {
  readonly id: string;
  readonly outcome: string;
  /** The answer, or its JSON if that exists already. */
  readonly body: object | string;
  /** Runs after the answer has gone out. */
  readonly afterAnswer?: () => Promise<void>;
}

/**
 * `article.published`: deduplicate on `data.id`, store durably, only then answer (contract: POST with event article.published).
 * A redelivery answers the stored id and URL and writes nothing, even if the owner has deleted the article since.
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

/** The outcome of a published article: new, stored before, or deleted. */
export interface PublishedDraft {
  readonly id: string;
  readonly url: string;
  readonly outcome: Result['outcome'];
  /** The new file; undefined if nothing was stored. */
  readonly file?: StoredFile;
  /** Runs after the answer has gone out. */
  readonly afterAnswer?: () => Promise<void>;
}

/**
 * Stores an article unless it is stored already, or was deleted.
 *
 * @param makeDraft not called if the article is stored or was deleted.
 * @param timestamp when it was sent, ISO 8601.
 */
export async function publishDraft(
  id: string,
  makeDraft: () => ArticleDraft,
  timestamp: string,
  context: HandlerContext,
): Promise<PublishedDraft> {
  const { store, hooks, knownIds } = context;
  // Stored and deleted articles skip the filters, which are for new articles.
  const result = await store
    .publish(id, async (waitFor) => {
      await checkFirstArrival(id, timestamp, context);
      const draft = await filteredDraft(makeDraft(), context);
      waitFor(context.noteJobs?.('article.published', { id, timestamp }));
      return draft;
    })
    .catch(answerIfDeleted);
  const { url, outcome } = result;
  // Before the answer, so that an acknowledged article that is missing later counts as deleted. A known one may have been left
  // by a delivery that got no answer.
  if (outcome !== 'deleted') await knownIds.add({ id, url });
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

/** The outcome of a publication. `deleted`: the article was stored, and its owner has deleted it since. */
type Result = Published | { readonly outcome: 'deleted'; readonly id: string; readonly url: string };

/** Thrown if the owner has deleted the article. */
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
 * Checks that the article of an id that is not stored may be stored: it was not deleted, and its delivery is not too old.
 *
 * @throws Deleted, which is answered with 200; PressmarkError BODY_INVALID.
 */
async function checkFirstArrival(
  id: string,
  timestamp: string,
  { store, knownIds, maxAgeMs }: HandlerContext,
): Promise<void> {
  const url = knownIds.urlOfDeleted(id);
  if (url !== undefined) {
    await readNewFilesFor(url, store);
    // Another receiver may have just stored it.
    if (knownIds.urlOfDeleted(id) === undefined) return;
    throw new Deleted({ id, url });
  }
  if (maxAgeMs !== undefined && Date.now() - parseMoment(timestamp) > maxAgeMs)
    throw new PressmarkError(
      'BODY_INVALID',
      `timestamp ${quote(timestamp)} is older than replay.maxAge allows (${maxAgeMs / 3_600_000} h), and no article has this id; nothing was stored`,
    );
}

/** Makes the store read new files in the content folder, as for a lookup. */
async function readNewFilesFor(url: string, { find }: HandlerContext['store']): Promise<void> {
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
  // Only adapters and the admin set these; `filterContent` drops them.
  const { received, revision } = draft;
  return {
    ...stored,
    slug,
    extra,
    ...(received !== undefined && { received }),
    ...(revision !== undefined && { revision }),
  };
}

/** The additional front matter, from an adapter and from plugins' filters. */
export async function filteredFrontMatter(
  draft: ArticleDraft,
  { hooks, log, isOwnKey }: HandlerContext,
  given: ExtraKeys,
): Promise<ExtraKeys> {
  const isFiltered = hooks.hasFilter('article.frontMatter');
  const filtered = isFiltered ? await hooks.applyFilters('article.frontMatter', given, draft) : given;
  // Values that JSON lacks, such as undefined, would make invalid YAML.
  const extra: ExtraKeys = JSON.parse(JSON.stringify(filtered));
  const own = Object.keys(extra).filter(isOwnKey);
  if (own.length > 0)
    log.warn(
      { keys: own },
      'filter article.frontMatter: these keys are Pressmark’s own; they are left as they are',
    );
  return Object.fromEntries(Object.entries(extra).filter(([key]) => !isOwnKey(key)));
}

/** Runs the filter `article.draft`, and restores the fields that the contract does not leave to plugins. */
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
  // By name, so that additional keys of a plugin are dropped: the store would spread them over its own.
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

/** An article without Markdown has its HTML as body, even after a plugin has changed one of the two. */
function withOneHtml(
  draft: ArticleDraft,
  { body, contentHtml }: ArticleDraft,
): Pick<ArticleDraft, 'body' | 'contentHtml'> {
  if (draft.body !== draft.contentHtml || body === contentHtml) return { body, contentHtml };
  if (body === draft.body) return { body: contentHtml, contentHtml };
  return contentHtml === draft.contentHtml ? { body, contentHtml: body } : { body, contentHtml };
}
