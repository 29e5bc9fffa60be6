import { type Article, contentFields, type ExtraKeys } from '../../article/article.js';
import type { EncodedFile } from '../../article/format/encode.js';
import { isHtml, type StoredArticle } from '../../article/stored-article.js';
import { isMoment } from '../../contract/moment.js';
import { PressmarkError, quote } from '../../errors.js';
import type { ArticleStore } from '../../store/article-store.js';
import { type ContentFolder, htmlOf, type ReadFile } from '../../store/catalog/content-folder.js';
import type { HandlerContext } from '../../webhook/events/published.js';

/** What a change of an article needs: jobs are noted before the change is stored, and actions run after it. */
export interface ChangeOptions {
  readonly store: ArticleStore;
  readonly content: ContentFolder;
  readonly context: Pick<HandlerContext, 'hooks' | 'changeOf' | 'noteJobs'>;
}

/** Makes the new file of an article from the present one; see `ArticleStore.change`. */
export type MakeFile = (read: ReadFile, path: string) => Promise<EncodedFile & { readonly seals?: boolean }>;

/** Changes the file of an article, for plugins and for people in the admin. */
export async function changeArticle(
  { store, context }: ChangeOptions,
  id: string,
  make: MakeFile,
): Promise<Article> {
  let before: ReadFile | undefined;
  const { article, edited, stored } = await store.change(id, async (read, path) => {
    before = read;
    const next = await make(read, path);
    const { article, edited } = read.stored;
    const note = { id, base: article.revision, timestamp: new Date().toISOString() };
    const isShared = !edited || next.seals === true;
    if (next.text !== read.text && isShared) await context.noteJobs?.('article.updated', note);
    return next;
  });
  if (stored === undefined) return article;
  const replaced =
    before?.stored.edited === true && !edited
      ? { replaced: { article: before.stored.article, text: before.text } }
      : {};
  const change = context.changeOf({ ...stored, ...replaced });
  // A person's edit is never replaced by a plugin.
  if (edited)
    void context.hooks.doAction('article.edited', { path: change.path, id: article.id, url: article.url });
  else {
    const timestamp = new Date().toISOString();
    void context.hooks.doAction('article.updated', { event: 'article.updated', timestamp, ...change });
  }
  return article;
}

/** A change of an article. Fields that are left out stay as they are. */
export interface ContentChange {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly author?: string | undefined;
  /** Null for none. */
  readonly image?: string | null | undefined;
  /** In the article's own form: Markdown or HTML. */
  readonly body?: string | undefined;
  readonly extra?: ExtraKeys;
  readonly updated?: string;
  readonly revision: string;
}

/** The file of an article with changed content. */
export async function withContent(
  content: ContentFolder,
  { text, stored }: Pick<ReadFile, 'text' | 'stored'>,
  path: string,
  { extra, body, ...fields }: ContentChange,
): Promise<EncodedFile> {
  const { article } = stored;
  const given = body === undefined ? {} : await bodyOf(body, stored, content);
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const next: Article = {
    ...article,
    ...contentFields({ ...article, contentHtml: await htmlOf(content, stored), ...given }),
    extra: { ...article.extra, ...extra },
    ...set,
  };
  const storedBody = body === undefined ? (stored.bodyKind ?? 'markdown') : undefined;
  return content.codec.amend(text, stored, next, path, storedBody);
}

/**
 * The Markdown and the HTML of a new body; the item comment stays. Escapes for the site's generator are only in the Markdown.
 */
async function bodyOf(
  body: string,
  stored: StoredArticle,
  { codec }: ContentFolder,
): Promise<Pick<Article, 'body' | 'contentHtml'>> {
  const kept = await codec.keepComments(body, stored.article.contentHtml);
  if (isHtml(stored)) return { body: kept, contentHtml: kept };
  const alone = { article: { body: kept, contentHtml: '' }, bodyEdited: false };
  return { body: kept, contentHtml: await codec.html(alone) };
}

/** Refuses a change that was made from another revision. @throws PressmarkError REVISION_CONFLICT. */
export function checkBase({ id, revision }: Article, base: string): void {
  if (revision === base) return;
  throw new PressmarkError(
    'REVISION_CONFLICT',
    `article ${quote(id)} has changed: it is at revision ${quote(revision)}, and the change was made from ${quote(base)}; read the article again, and repeat the change`,
    { details: { base_revision_id: base, current_revision_id: revision } },
  );
}

/** @throws PressmarkError USAGE. */
export function checkMoment(text: string): void {
  if (!isMoment(text))
    throw new PressmarkError(
      'USAGE',
      `${quote(text)} is not a moment in ISO 8601, such as 2026-11-19T08:00:00Z`,
    );
}

/** The error for a field of an article that cannot be stored. */
export function invalid(field: string, what: string): PressmarkError {
  return new PressmarkError('BODY_INVALID', `the ${field} ${what}`);
}
