import { setTimeout as wait } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import type { SettableState } from '../../host/articles/articles.js';
import type { ArticleRevision, EditableArticle } from '../../host/articles/edits.js';
import type { Editor } from '../../host/articles/trash.js';
import { momentIn } from '../../host/local-time.js';
import {
  type AdminPage,
  type AdminRoom,
  correctable,
  type FormRequest,
  MISSING,
  type PageAction,
  type PageAnswer,
  type PageRequest,
  redirect,
  view,
} from '../page.js';
import { actionsOn } from './added.js';
import { LEVELS } from './articles.js';

const STATES: readonly SettableState[] = ['live', 'held', 'scheduled', 'expired'];

/** How many versions are shown at first, and at most. */
const VERSIONS = { first: 50, most: 1_000 };

/**
 * How long the page waits for the versions, and how long they are cached, in milliseconds. Git may have to read a hundred
 * thousand commits, and the page reloads.
 */
const LOOKING_MS = { waited: 40, remembered: 10_000 };

/** The person of a request, as the author of a commit. */
export function editorOf({ user: { name, email } }: Pick<PageRequest, 'user'>): Editor {
  return { name, ...(email !== undefined && { email }) };
}

/** The id of a page's article. */
export function idIn({ query }: Pick<PageRequest, 'query'>): string {
  return query.get('id') ?? '';
}

/** The object of forms on an article's pages, for the audit log. */
export const about = (request: FormRequest): string => idIn(request);

/** The object with an entered value. */
const aboutWith =
  (...names: readonly string[]) =>
  (request: FormRequest): string =>
    [idIn(request), ...names.map(request.field)].filter((text) => text !== '').join(' ');

/**
 * An action that changes an article from the revision that the person has seen. If it is refused, the article's page shows the
 * reason.
 */
function changing(
  change: (request: FormRequest, id: string, base: string) => Promise<PageAnswer>,
): PageAction['run'] {
  return async (request) => {
    const id = idIn(request);
    try {
      return await change(request, id, request.field('base'));
    } catch (error) {
      const isStale = error instanceof PressmarkError && error.code === 'REVISION_CONFLICT';
      const changed = { level: 'fail', text: 'articles.changedSince' } as const;
      return redirect(articlePath(id), isStale ? changed : correctable(error));
    }
  };
}

/** The address of an article's page. */
export function articlePath(id: string): string {
  return `articles/article?${new URLSearchParams({ id })}`;
}

/** How much of an article's title, names and tags is shown, as each may be as long as an article. */
const MOST_SHOWN = { characters: 200, tags: 100 };

/** An article for views. @param id the requested id. */
export function shownArticle<A extends Pick<EditableArticle, 'title' | 'author' | 'tags'>>(
  article: A,
  id: string,
): A & { readonly id: string } {
  const short = (text: string) => text.slice(0, MOST_SHOWN.characters);
  const { title, author, tags } = article;
  return {
    ...article,
    id,
    title: short(title),
    author: short(author),
    tags: tags.slice(0, MOST_SHOWN.tags).map(short),
  };
}

/** The versions of an article for its page. */
type Versions =
  | {
      readonly kind: 'found';
      readonly revisions: readonly (ArticleRevision & {
        /** By an update. */ readonly isReplaced: boolean;
      })[];
      /** The number to request next; undefined if there are no more. */
      readonly more: number | undefined;
    }
  | { readonly kind: 'looking' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The page of one article, and the comparison of two versions. */
export function oneArticlePages({ host }: AdminRoom): AdminPage[] {
  const { articles } = host;
  const { timeZone } = host.site;
  const looks = new Map<string, Promise<Versions>>();

  const setState = changing(async (request, id, base) => {
    const { field, words } = request;
    const state = STATES.find((one) => one === field('state'));
    if (state === undefined) return MISSING;
    const at = field('at');
    const moment = at === '' ? undefined : momentIn(timeZone, at);
    if (at !== '' && moment === undefined) {
      const values = { at, timeZone };
      return redirect(articlePath(id), { level: 'fail', text: 'articles.noMoment', values });
    }
    await articles.setStateBy(id, base, state, moment, editorOf(request));
    const isToCome = moment !== undefined && Date.parse(moment) > Date.now();
    const text = isToCome && state === 'expired' ? 'articles.willExpire' : `articles.now-${state}`;
    const values = { at: words.moment(moment ?? '') };
    return redirect(articlePath(id), { level: 'ok', text, values });
  });

  const revert = changing(async (request, id, base) => {
    await articles.revert(id, request.field('revision'), base, editorOf(request));
    return redirect(articlePath(id), { level: 'ok', text: 'articles.reverted' });
  });

  const trash = changing(async (request, id, base) => {
    const to = request.field('redirect').trim();
    await articles.trash(id, base, { redirect: to === '' ? null : to }, editorOf(request));
    return redirect('articles/trash', { level: 'ok', text: 'articles.trashed' });
  });

  /** Reads the versions. The page is shown even if git fails. */
  async function versionsOf(id: string, most: number): Promise<Versions> {
    try {
      const found = await articles.history(id, most + 1);
      const more = found.length > most && most < VERSIONS.most ? most + VERSIONS.first : undefined;
      const revisions = found.slice(0, most).map((one, n) => {
        const next = n > 0 ? found[n - 1] : undefined;
        const isReplaced = one.isOfPerson && next !== undefined && next.revision !== null && !next.isOfPerson;
        return { ...one, isReplaced };
      });
      return { kind: 'found', revisions, more };
    } catch (error) {
      if (!(error instanceof PressmarkError) || error.code !== 'GIT_FAILED') throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  /** The versions, if they are found within the time that the page waits. */
  async function versionsSoon({ id, revision }: Pick<EditableArticle, 'id' | 'revision'>): Promise<Versions> {
    const key = `${revision} ${id}`;
    const known = looks.get(key);
    const look = known ?? versionsOf(id, VERSIONS.first);
    if (known === undefined) {
      looks.set(key, look);
      const forget = () => setTimeout(() => looks.delete(key), LOOKING_MS.remembered).unref();
      look.then(forget, () => looks.delete(key));
    }
    return Promise.race([look, wait(LOOKING_MS.waited, { kind: 'looking' } as const)]);
  }

  return [
    {
      path: 'articles/article',
      title: 'articles.article',
      role: 'editor',
      show: async (request) => {
        const id = idIn(request);
        const found = await articles.open(id);
        if (found === undefined) return MISSING;
        const article = shownArticle(found, id);
        const asked = Number(request.query.get('versions'));
        const versions = asked
          ? await versionsOf(id, Math.min(Math.max(asked, 1), VERSIONS.most))
          : await versionsSoon(article);
        const actions = actionsOn(host, 'article', request.user);
        const shown = { article, versions, actions, levels: LEVELS, timeZone, back: articlePath(id) };
        return view('article', shown, { title: article.title });
      },
      actions: {
        state: { about: aboutWith('state', 'at'), run: setState },
        revert: { about: aboutWith('revision'), run: revert },
        trash: { about: aboutWith('redirect'), run: trash },
      },
    },
    {
      path: 'articles/compare',
      title: 'articles.compare',
      role: 'editor',
      show: async (request) => {
        const id = idIn(request);
        const article = await articles.open(id);
        const [from, to] = [request.query.get('from') ?? '', request.query.get('to') ?? ''];
        if (article === undefined || from === '' || to === '') return MISSING;
        const [before, after] = await Promise.all([articles.at(id, from), articles.at(id, to)]);
        const comparison = await articles.compare(before, after);
        const commit = /^[0-9a-f]{40,64}$/.test(from) ? from.slice(0, 10) : undefined;
        return view('compare', { article: shownArticle(article, id), from, to, commit, comparison });
      },
    },
  ];
}
