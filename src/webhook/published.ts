import { type ArticleDraft, draftOf, type ExtraKeys, keepItemComments } from '../article/article.js';
import { publishedAnswer } from '../contract/answers.js';
import type { ArticleData } from '../contract/envelope.js';
import { PressmarkError } from '../errors.js';
import type { Hooks } from '../host/hooks.js';
import type { Handled, Surroundings } from './handler.js';

/**
 * `article.published`: deduplicate on `data.id`, store durably, only then answer
 * (contract: POST with event article.published). A redelivery answers the stored id and URL and writes nothing.
 */
export async function published(
  data: ArticleData,
  timestamp: string,
  around: Surroundings,
): Promise<Handled> {
  const { store, hooks } = around;
  // Known ids go past the filters: what a plugin does to new articles does not concern a redelivery.
  const result =
    store.known(data.id) ??
    (await store.recall(data.id)) ??
    (await store.publish(await filteredDraft(draftOf(data), around)));
  const { id, url, outcome, stored } = result;
  const handled = { id, outcome, body: publishedAnswer(id, url) };
  if (stored === undefined) return handled;
  const after = () =>
    hooks.doAction('article.published', {
      event: 'article.published',
      timestamp,
      ...around.changeOf(stored),
    });
  return { after, ...handled };
}

async function filteredDraft(draft: ArticleDraft, around: Surroundings): Promise<ArticleDraft> {
  const { hooks } = around;
  const filtered = await filterContent(draft, hooks, { event: 'article.published', stored: null });
  const slug = hooks.hasFilter('article.slug')
    ? String(await hooks.applyFilters('article.slug', draft.slug, filtered))
    : draft.slug;
  const extra = await filteredFrontMatter(filtered, around);
  return { ...filtered, slug, extra };
}

/** The front matter that plugins set besides Pressmark's own. */
export async function filteredFrontMatter(
  draft: ArticleDraft,
  { hooks, log, isOwnKey }: Surroundings,
): Promise<ExtraKeys> {
  if (!hooks.hasFilter('article.frontMatter')) return {};
  const extra = plainData(await hooks.applyFilters('article.frontMatter', {}, draft));
  if (typeof extra !== 'object' || extra === null || Array.isArray(extra))
    throw new PressmarkError(
      'FILTER_FAILED',
      'filter article.frontMatter: the plugins’ front matter is not an object',
    );
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
  hooks: Hooks,
  context: Parameters<typeof hooks.applyFilters<'article.draft'>>[2],
): Promise<ArticleDraft> {
  if (!hooks.hasFilter('article.draft')) return draft;
  const { id, slug, date, extra, jsonLd } = draft;
  const filtered = await hooks.applyFilters('article.draft', draft, context);
  const fault = faultIn(filtered);
  if (fault !== undefined)
    throw new PressmarkError('FILTER_FAILED', `filter article.draft: the plugins’ draft ${fault}`);
  const changed = withOneHtml(draft, filtered);
  const contentHtml = keepItemComments(changed.contentHtml, draft.contentHtml);
  const body = keepItemComments(changed.body, draft.body);
  // By name, so that no key travels on that a plugin has added: the store lays the draft over its own.
  const { title, description, author, tags, keyword, image } = filtered;
  const content = { title, description, author, tags, keyword, image, jsonLd, contentHtml, body };
  return { id, slug, date, extra, ...content };
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

/** What a file can hold of it: what JSON has no word for, such as undefined, would make YAML that nobody reads. */
function plainData(extra: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(extra) ?? 'null');
  } catch (cause) {
    throw new PressmarkError(
      'FILTER_FAILED',
      'filter article.frontMatter: the front matter is not plain data',
      {
        cause,
      },
    );
  }
}

const TEXTS = ['title', 'description', 'author', 'keyword', 'contentHtml', 'body'] as const;

/** What keeps a draft from being stored: plugins in JavaScript return whatever they like. */
function faultIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'is not an object';
  const draft: Partial<Record<keyof ArticleDraft, unknown>> = { ...value };
  const field = TEXTS.find((name) => !isText(draft[name]));
  if (field !== undefined) return `has no text as its ${field}`;
  if (!Array.isArray(draft.tags) || !draft.tags.every(isText)) return 'has no list of texts as its tags';
  return draft.image === null || isText(draft.image) ? undefined : 'has neither a text nor null as its image';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}
