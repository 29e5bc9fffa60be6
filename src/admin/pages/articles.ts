import type { ListedArticle } from '../../host/articles/articles.js';
import type { ArticleSearch } from '../../host/articles/search.js';
import { type AdminPage, type AdminRoom, view } from '../page.js';
import type { Level } from '../views.js';

/** The states of articles, in the order of the list's filter. */
const STATES: readonly ListedArticle['state'][] = ['live', 'held', 'scheduled', 'expired', 'draft'];

/** The filter by the origin of an article's text. */
const KINDS: Readonly<Record<string, Pick<ArticleSearch, 'edited' | 'handWritten'>>> = {
  delivered: { edited: false, handWritten: false },
  edited: { edited: true },
  handWritten: { handWritten: true },
};

const SORTS = ['newest', 'oldest', 'title'] as const;

/** The level of each state. */
export const LEVELS: Readonly<Record<ListedArticle['state'], Level>> = {
  live: 'ok',
  held: 'warn',
  scheduled: 'warn',
  expired: 'none',
  draft: 'none',
};

/** The list of articles. */
export function articlePages({ host }: AdminRoom): AdminPage[] {
  return [
    {
      path: 'articles',
      title: 'articles.title',
      role: 'editor',
      menu: 20,
      show: async ({ query }) => {
        const asked = (name: string) => query.get(name)?.trim() || undefined;
        const one = <T extends string>(name: string, all: readonly T[]) =>
          all.find((value) => value === asked(name));
        const [text, tag, author] = [asked('text'), asked('tag'), asked('author')];
        const state = one('state', STATES);
        const kind = one('kind', Object.keys(KINDS));
        const sort = one('sort', SORTS);
        const found = await host.articles.search({
          text,
          state,
          tag,
          author,
          ...(kind !== undefined && KINDS[kind]),
          sort,
          page: Number(asked('page') ?? 1) || 1,
        });
        const filters = { text, state, kind, tag, author, sort };
        return view('articles', {
          ...found,
          filters,
          isFiltered: [text, state, kind, tag, author].some((value) => value !== undefined),
          query: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
          states: STATES,
          kinds: Object.keys(KINDS),
          sorts: SORTS,
          levels: LEVELS,
        });
      },
    },
  ];
}
