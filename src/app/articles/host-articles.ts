import { randomBytes } from 'node:crypto';
import { type Article, contentFields, keepItemComments } from '../../article/article.js';
import type { Amended, StateChange } from '../../article/format/amend.js';
import { termKey } from '../../article/names.js';
import { stateAt } from '../../article/publication.js';
import { renderedHtml, type StoredArticle } from '../../article/stored-article.js';
import { isMoment, parseMoment } from '../../contract/moment.js';
import { PressmarkError, quote } from '../../errors.js';
import type {
  ArticleChanges,
  ArticlePatch,
  ArticleQuery,
  ListedArticle,
  SettableState,
} from '../../host/articles.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { type ContentFolder, entryState, type ReadFile } from '../../store/catalog/entry.js';
import type { Surroundings } from '../../webhook/handler.js';
import type { ReceiveArticle } from '../../webhook/receive-article.js';

export interface HostArticlesOptions {
  readonly store: ArticleStore;
  readonly catalog: Catalog;
  readonly content: ContentFolder;
  /** The content folder's path below the site's, with a slash at its end. */
  readonly prefix: string;
  readonly around: Pick<Surroundings, 'hooks' | 'changeOf' | 'isOwnKey' | 'noteJobs'>;
  readonly receive: ReceiveArticle;
}

/** Articles of one page of `list` where nobody says otherwise. */
const PAGE = 50;

/** What plugins change in a receiver's articles: always by compare-and-set, as a delivery does. */
export function createArticleChanges(options: HostArticlesOptions): ArticleChanges {
  const { store, catalog, content, prefix, around, receive } = options;

  async function list(query: ArticleQuery = {}): Promise<readonly ListedArticle[]> {
    const { since, after, limit = PAGE } = query;
    if (since === undefined) return (await matching(query, after, limit)).map(({ article }) => article);
    checkMoment(since);
    const found = (await matching(query, undefined, Number.POSITIVE_INFINITY))
      .filter(({ published }) => published >= parseMoment(since))
      .sort((a, b) => b.published - a.published);
    const first = after === undefined ? 0 : found.findIndex(({ article }) => article.path === after) + 1;
    return found.slice(first, first + limit).map(({ article }) => article);
  }

  /** The articles that are meant, in the order of their files, and when each was published, in ms since 1970. */
  async function matching(query: ArticleQuery, after: string | undefined, limit: number) {
    const { state } = query;
    const now = Date.now();
    const entries = [...catalog.entries()]
      .filter(
        (entry) => entry.broken === undefined && (after === undefined || `${prefix}${entry.path}` < after),
      )
      .filter((entry) => state === undefined || state === 'draft' || entryState(entry, now) === state)
      .sort((a, b) => (a.path < b.path ? 1 : -1));
    const found: { readonly article: ListedArticle; readonly published: number }[] = [];
    for (const { path } of entries) {
      if (found.length >= limit) break;
      const stored = await store.read(path);
      if (stored === undefined) continue;
      const article = listedArticle(`${prefix}${path}`, stored, now);
      if (matches(article, query)) found.push({ article, published: publishedAt(stored) });
    }
    return found;
  }

  async function patch(id: string, base: string, change: ArticlePatch): Promise<Article> {
    const { frontMatter = {}, body, image } = change;
    const own = Object.keys(frontMatter).filter(around.isOwnKey);
    if (own.length > 0)
      throw new PressmarkError(
        'USAGE',
        `these keys are Pressmark’s own and cannot be patched: ${own.join(', ')}`,
      );
    if (image !== undefined && !URL.canParse(image))
      throw new PressmarkError('USAGE', `the image ${quote(image)} is not an absolute URL`);
    return changed(id, async ({ text, stored }, path) => {
      const { article, edited } = stored;
      if (edited || article.revision !== base)
        throw new PressmarkError(
          'REVISION_CONFLICT',
          edited
            ? `article ${quote(id)} holds a person’s edit; nothing was changed`
            : `article ${quote(id)} is at ${quote(article.revision)}, and the change was made from ${quote(base)}`,
        );
      const given = body === undefined ? {} : bodyOf(body, stored);
      const next = {
        ...article,
        ...contentFields({ ...article, contentHtml: renderedHtml(stored), ...given }),
        extra: { ...article.extra, ...frontMatter },
        ...(image !== undefined && { image }),
        revision: revisionFor('patch'),
      };
      const storedBody = body === undefined ? (stored.bodyKind ?? 'markdown') : undefined;
      const amendment = [text, stored, next, path, storedBody] as const;
      return content.long?.amend(...amendment) ?? content.format.amend(...amendment);
    });
  }

  async function setState(id: string, state: SettableState, at?: string): Promise<Article> {
    if (at !== undefined) checkMoment(at);
    if (state === 'scheduled' && at === undefined)
      throw new PressmarkError('USAGE', 'a scheduled article needs its date');
    return changed(id, async ({ text, stored }, path) => {
      const now = Date.now();
      const transition = [text, path, stateChange(state, at, stored, now), revisionFor('state')] as const;
      const next = await (content.long?.inState(...transition) ?? content.format.inState(...transition));
      const then = state === 'expired' && at !== undefined ? Math.max(now, parseMoment(at)) : now;
      const reached = stateAt(next.publication, then);
      if (stored.address?.kind !== 'unknown' && next.address?.kind === 'unknown' && state !== 'expired')
        throw new PressmarkError(
          'USAGE',
          `article ${quote(id)} cannot be ${state}: its file ${next.address.reason}`,
        );
      if (reached !== state)
        throw new PressmarkError(
          'USAGE',
          `article ${quote(id)} cannot be ${state}: its file makes it ${reached}`,
        );
      return next;
    });
  }

  async function changed(
    id: string,
    make: (read: ReadFile, path: string) => Promise<Amended>,
  ): Promise<Article> {
    const { article, edited, stored } = await store.change(id, async (read, path) => {
      const next = await make(read, path);
      const { article, edited } = read.stored;
      const note = { id, base: article.revision, timestamp: new Date().toISOString() };
      if (next.text !== read.text && !edited) await around.noteJobs?.('article.updated', note);
      return next;
    });
    if (stored !== undefined) {
      const timestamp = new Date().toISOString();
      const change = around.changeOf(stored);
      const { path } = change;
      // What a person has edited stays theirs.
      if (edited) void around.hooks.doAction('article.edited', { path, id: article.id, url: article.url });
      else void around.hooks.doAction('article.updated', { event: 'article.updated', timestamp, ...change });
    }
    return article;
  }

  return { receive, list, patch, setState };
}

/** NaN where the file has no date that can be read. */
function publishedAt({ article, publication }: StoredArticle): number {
  return (publication.kind === 'dated' ? publication.from : undefined) ?? parseMoment(article.date);
}

function checkMoment(text: string): void {
  if (!isMoment(text))
    throw new PressmarkError(
      'USAGE',
      `${quote(text)} is not a moment in ISO 8601, such as 2026-11-19T08:00:00Z`,
    );
}

/** Commit messages tell such changes by their revisions. */
function revisionFor(what: 'patch' | 'state'): string {
  return `${what}-${randomBytes(12).toString('hex')}`;
}

function stateChange(
  state: SettableState,
  at: string | undefined,
  { publication }: StoredArticle,
  now: number,
): StateChange {
  const moment = new Date(now).toISOString();
  switch (state) {
    case 'held':
      return { held: 'by a plugin' };
    case 'scheduled':
      return { held: undefined, date: at };
    case 'expired':
      return { held: undefined, expires: at ?? moment };
    case 'live': {
      const { from = 0, until = Number.POSITIVE_INFINITY } = publication.kind === 'dated' ? publication : {};
      return {
        held: undefined,
        ...((at !== undefined || from > now) && { date: at ?? moment }),
        ...(until <= now && { expires: null }),
      };
    }
  }
}

/** The two forms of another body, whose item comment stays. */
function bodyOf(body: string, { article }: StoredArticle): Pick<Article, 'body' | 'contentHtml'> {
  const kept = keepItemComments(body, article.contentHtml);
  return { body: kept, contentHtml: article.body === article.contentHtml ? kept : '' };
}

/** A stored article as plugins get it. @param path below the site's folder. */
export function listedArticle(
  path: string,
  { article, digest, publication }: StoredArticle,
  now = Date.now(),
): ListedArticle {
  return { ...article, path, state: stateAt(publication, now), handWritten: digest === undefined };
}

function matches(article: ListedArticle, { state, tag, author, handWritten }: ArticleQuery): boolean {
  return (
    (state === undefined || article.state === state) &&
    (tag === undefined || article.tags.some((one) => termKey(one) === termKey(tag))) &&
    (author === undefined || termKey(article.author) === termKey(author)) &&
    (handWritten === undefined || article.handWritten === handWritten)
  );
}
