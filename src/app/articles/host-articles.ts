import type { Article } from '../../article/article.js';
import type { StateChange } from '../../article/format/amend.js';
import { isOfPerson, personsPart, revisionFor } from '../../article/own-revisions.js';
import { stateAt } from '../../article/publication.js';
import type { StoredArticle } from '../../article/stored-article.js';
import { parseMoment } from '../../contract/moment.js';
import { didYouMean, PressmarkError, quote } from '../../errors.js';
import {
  type ArticlePatch,
  type ArticleQuery,
  type Articles,
  type ListedArticle,
  SETTABLE_STATES,
  type SettableState,
} from '../../host/articles/articles.js';
import { checkKeys, misuseOf } from '../../host/invalid.js';
import type { ArticleStore } from '../../store/article-store.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { HandlerContext } from '../../webhook/events/published.js';
import { changeArticle, checkBase, checkMoment, withContent } from './change-article.js';
import { type ArticleSearcher, stateOf } from './search-articles.js';

export interface HostArticlesOptions {
  readonly store: ArticleStore;
  readonly catalog: Catalog;
  readonly content: ContentFolder;
  /** The content folder relative to the site's folder, with a trailing slash. */
  readonly prefix: string;
  readonly context: Pick<HandlerContext, 'hooks' | 'changeOf' | 'isOwnKey' | 'noteJobs'>;
}

/**
 * Sets the state of an article like `Articles.setState`, for a person.
 *
 * @param by `who` is the person, `base` the revision that the person has seen, and `note` is called with the new revision before
 *   that is stored.
 */
export type SetStateAs = (
  id: string,
  state: SettableState,
  at: string | undefined,
  by: { readonly who: string; readonly base?: string; note?(revision: string): Promise<void> },
) => Promise<Article>;

/** The default number of articles per page of `list`. */
const PAGE = 50;

const CONDITIONS = ['state', 'tag', 'author', 'handWritten', 'after', 'limit'];

/** Creates plugins' functions that list articles and change them. Like deliveries, changes are made by compare-and-set. */
export function createArticleChanges(
  options: HostArticlesOptions & Pick<ArticleSearcher, 'findPaths'>,
): Pick<Articles, 'list' | 'patch' | 'setState' | 'rebuild'> & { readonly setStateAs: SetStateAs } {
  const { store, catalog, content, prefix, context, findPaths } = options;

  async function list(query: ArticleQuery = {}): Promise<readonly ListedArticle[]> {
    checkKeys(query, CONDITIONS, misuseOf('articles.list'));
    if (query.state !== undefined) checkState(query.state, ['draft', ...SETTABLE_STATES]);
    const { after, limit = PAGE, ...wanted } = query;
    const paths = (await findPaths(wanted))
      .filter((path) => after === undefined || `${prefix}${path}` < after)
      .sort()
      .reverse();
    const found: ListedArticle[] = [];
    for (const path of paths) {
      if (found.length >= limit) break;
      const stored = await store.read(path);
      const entry = catalog.get(path);
      if (stored === undefined || entry === undefined) continue;
      // A person may have edited the file meanwhile. Do not announce an article that is no longer live.
      if (wanted.state === undefined || stateOf(entry, Date.now()) === wanted.state)
        found.push(listedArticle(`${prefix}${path}`, stored));
    }
    return found;
  }

  async function patch(id: string, base: string, change: ArticlePatch): Promise<Article> {
    checkKeys(change, ['frontMatter', 'body', 'image'], misuseOf('articles.patch'));
    const { frontMatter: extra = {}, body, image } = change;
    const own = Object.keys(extra).filter(context.isOwnKey);
    if (own.length > 0)
      throw new PressmarkError(
        'USAGE',
        `these keys are Pressmark’s own and cannot be patched: ${own.join(', ')}`,
      );
    if (image !== undefined && !URL.canParse(image))
      throw new PressmarkError('USAGE', `the image ${quote(image)} is not an absolute URL`);
    return changeArticle(options, id, async (read, path) => {
      const { article, edited } = read.stored;
      if (edited || isOfPerson(article.revision))
        throw new PressmarkError(
          'REVISION_CONFLICT',
          `article ${quote(id)} holds a person’s edit; nothing was changed`,
        );
      checkBase(article, base);
      return withContent(content, read, path, { extra, body, image, revision: revisionFor('patch') });
    });
  }

  const setState: Articles['setState'] = (id, state, at) => setStateAs(id, state, at, { who: 'a plugin' });

  async function setStateAs(
    ...[id, asked, at, { who, base, note }]: Parameters<SetStateAs>
  ): Promise<Article> {
    checkState(asked, SETTABLE_STATES);
    if (at !== undefined) checkMoment(at);
    if (asked === 'scheduled' && at === undefined)
      throw new PressmarkError('USAGE', 'a scheduled article needs its date');
    return changeArticle(options, id, async ({ text, stored }, path) => {
      const now = Date.now();
      const before = stateAt(stored.publication, now);
      if (at === undefined && before === asked) return { ...stored, text };
      if (base !== undefined) checkBase(stored.article, base);
      const isToCome = at !== undefined && parseMoment(at) > now;
      if (asked === 'expired' && isToCome && before !== 'live' && before !== 'scheduled')
        throw new PressmarkError(
          'USAGE',
          `article ${quote(id)} is ${before}, and would be shown until it expires; show it first, and then let it expire`,
        );
      const state = asked === 'live' && isToCome ? 'scheduled' : asked;
      const transition = stateChange(asked, at, stored, now, who);
      const revision = revisionFor('state', stored.article.revision);
      const next = await content.codec.inState(text, path, transition, revision);
      const then = state === 'expired' && isToCome ? parseMoment(at) : now;
      const reached = stateAt(next.publication, then);
      if (stored.address?.kind !== 'unknown' && next.address?.kind === 'unknown' && state !== 'expired')
        throw new PressmarkError(
          'USAGE',
          `article ${quote(id)} cannot be ${state}: its file ${next.address.reason}`,
        );
      // A held draft of a person becomes a draft again.
      if (reached !== state && !(reached === 'draft' && stored.article.held !== undefined))
        throw new PressmarkError(
          'USAGE',
          `article ${quote(id)} cannot be ${state}: its file makes it ${reached}`,
        );
      if (next.text !== text) await note?.(revision);
      return next;
    });
  }

  async function rebuild(ids: readonly string[]): Promise<void> {
    const articles = ids.flatMap((id) => {
      const found = catalog.byId(id);
      if (found.length === 0)
        throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article ${quote(id)}`);
      return found.map(({ path }) => `${prefix}${path}`);
    });
    if (articles.length > 0) void context.hooks.doAction('build.requested', { articles });
  }

  return { list, patch, setState, setStateAs, rebuild };
}

/** Checked at runtime, as a plugin in JavaScript may pass any state. */
function checkState(state: string, known: readonly string[]): void {
  if (known.includes(state)) return;
  throw new PressmarkError(
    'USAGE',
    `there is no state ${quote(state)}, only ${known.join(', ')}${didYouMean(String(state), known)}`,
  );
}

/** The change of front matter that gives an article another state. */
export function stateChange(
  state: SettableState,
  at: string | undefined,
  { publication }: Pick<StoredArticle, 'publication'>,
  now: number,
  who: string,
): StateChange {
  const moment = new Date(now).toISOString();
  const { from = 0, until = Number.POSITIVE_INFINITY } = publication.kind === 'dated' ? publication : {};
  switch (state) {
    case 'held':
      return { held: `by ${who}`, ...(at !== undefined && { date: at }) };
    case 'scheduled':
      // An expiry before that date would leave the article no time on the site.
      return {
        held: undefined,
        date: at,
        ...(at !== undefined && until <= parseMoment(at) && { expires: null }),
      };
    case 'expired':
      return { held: undefined, expires: at ?? moment };
    case 'live':
      return {
        held: undefined,
        ...((at !== undefined || from > now) && { date: at ?? moment }),
        ...(until <= now && { expires: null }),
      };
  }
}

/** A stored article in the form for plugins. @param path relative to the site's folder. */
export function listedArticle(path: string, stored: StoredArticle): ListedArticle {
  const { article, publication } = stored;
  const part = personsPart(stored);
  return {
    ...article,
    path,
    state: stateAt(publication, Date.now()),
    handWritten: part === 'written',
    isOfPerson: part !== undefined,
  };
}
