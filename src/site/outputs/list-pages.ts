import type { ArticleSummary, SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isAnyChanged, type ListChange, type Post } from '../index/article-list.js';
import { termTextPathOf } from '../index/owner-texts.js';
import type { SiteChange, SiteIndex } from '../index/site-index.js';
import type { Term } from '../index/taxonomy.js';
import type { Text } from '../render/i18n.js';
import { numbered, type Page, type PageLink, type Pager, sitePage } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fileAt } from './addresses.js';
import { type Output, renderedPages } from './output.js';

/** What the pages of lists are made with. */
export interface ListDeps {
  readonly site: SiteInfo;
  /** Articles on the home page and on every full page of a list. */
  readonly pageSize: number;
  /** The theme as it is now, and what makes pages of it. */
  context(): RenderContext;
  /** An article as lists show it. */
  summaryOf(post: Post): ArticleSummary;
}

/** The list of all articles. */
export function archivePages(deps: ListDeps, all: ArticleList): Output {
  const pages = listPages('/archive/', all, deps.pageSize);
  const description: Text = { t: 'archiveOf', values: { site: deps.site.title } };
  return {
    reserved: ['archive/'],
    paths: pages.files,
    has: (path) => pages.at(path) !== undefined,
    affectedBy: (change) => pages.changed(change.all),
    ...renderedPages(deps.context, (path) => {
      const list = pages.at(path);
      return list && listed(deps, list, 'archive', { title: { t: 'archive' }, description });
    }),
  };
}

/** The lists of the articles of each tag, or of each author. */
export function termPages(
  deps: ListDeps,
  kind: 'tag' | 'author',
  index: Pick<SiteIndex, 'tags' | 'authors' | 'texts'>,
): Output {
  const { pageSize } = deps;
  const folder = `${kind}s/`;
  const [terms, phrase] = kind === 'tag' ? [index.tags, 'articlesAbout'] : [index.authors, 'articlesBy'];
  const pagesOf = ({ address, list }: Term) => listPages(address, list, pageSize);

  /** The term whose pages stand where a path below the output folder leads. */
  function termAt(path: string): Term | undefined {
    const [slug = ''] = path.slice(folder.length).split('/', 1);
    return path.startsWith(folder) ? terms.at(slug) : undefined;
  }

  function listAt(path: string): ListPage | undefined {
    const term = termAt(path);
    return term && pagesOf(term).at(path);
  }

  function* paths(): Generator<string> {
    for (const term of terms.all()) yield* pagesOf(term).files();
  }

  function* affectedBy(change: SiteChange): Generator<string> {
    const { vacated } = kind === 'tag' ? change.tags : change.authors;
    for (const { address, count } of vacated) yield* filesOf(address, count, pageSize);
    for (const path of change.texts) {
      const term = termAt(path.replace(/\.md$/, ''));
      if (term !== undefined) yield* pagesOf(term).files();
    }
    for (const [term, listChange] of change.terms)
      if (terms.get(term.name) === term) yield* pagesOf(term).changed(listChange);
  }

  function page(path: string): Page | undefined {
    const [term, list] = [termAt(path), listAt(path)];
    if (term === undefined || list === undefined) return undefined;
    const { name, address } = term;
    const text = index.texts.get(termTextPathOf(address));
    const title = text?.title || name;
    const description = text?.description || { t: phrase, values: { [kind]: name } };
    return { ...listed(deps, list, kind, { title, description }), [kind]: name, ...(text && { page: text }) };
  }

  return {
    reserved: [folder],
    paths,
    has: (path) => listAt(path) !== undefined,
    affectedBy,
    ...renderedPages(deps.context, page),
  };
}

function listed(
  { site, summaryOf }: ListDeps,
  { path, items, pager }: ListPage,
  kind: 'archive' | 'tag' | 'author',
  { title, description }: { readonly title: Text; readonly description: Text },
): Page {
  const frame = sitePage(site, kind, path, { title: numbered(title, pager.number), description });
  return { ...frame, articles: items.map(summaryOf), pager };
}

/** One page of a list of articles. */
interface ListPage {
  /** Below the site's base path. */
  readonly path: string;
  /** Newest first. */
  readonly items: readonly Post[];
  readonly pager: Pager;
}

/**
 * The pages of a list. They are counted from the oldest, and only full ones leave the list's own page, which so holds one
 * to two pages' worth: the articles of an older page stay when newer ones come. Only its links to newer pages change,
 * when the next page and the one after that are cut off. An article that comes in earlier or goes moves those of all later
 * pages.
 *
 * @param address the path of the list's own page, ending in a slash.
 * @param pageSize articles on an older page.
 */
export function listPages(address: string, { items }: ArticleList, pageSize: number) {
  /** The page in a file as it is now; undefined where the list has no such page. */
  function at(file: string): ListPage | undefined {
    const older = olderPages(items.length, pageSize);
    const number = numberIn(file, address.slice(1));
    if (number === undefined || number > older) return undefined;
    const start = (number === 0 ? older : number - 1) * pageSize;
    const end = number === 0 ? items.length : start + pageSize;
    return {
      path: listPath(address, number),
      items: items.slice(start, end).reverse(),
      pager: pagerOf(address, number, older),
    };
  }

  /** The files of the pages that may look different after a change, also of those that no longer exist. */
  function changed(change: ListChange): string[] {
    const numbers = new Set<number>();
    if (!isAnyChanged(change)) return [];
    const older = olderPages(items.length, pageSize);
    const before = olderPages(change.before, pageSize);
    for (const position of change.touched) {
      const number = Math.floor(position / pageSize) + 1;
      numbers.add(number > older ? 0 : number);
    }
    if (change.from !== Number.POSITIVE_INFINITY) {
      numbers.add(0);
      const moved = Math.floor(change.from / pageSize) + 1;
      // When the list grows by a page, the two before it link more pages; see `pagerOf`.
      const linking = before === older ? moved : Math.max(1, Math.min(before, older) - 1);
      for (let number = Math.min(moved, linking); number <= Math.max(before, older); number++)
        numbers.add(number);
    }
    return [...numbers].map((number) => fileAt(listPath(address, number)));
  }

  return { files: () => filesOf(address, items.length, pageSize), at, changed };
}

/** How many older pages a list of `count` articles has. */
function olderPages(count: number, pageSize: number): number {
  return Math.max(0, Math.floor(count / pageSize) - 1);
}

/** The path of a list's page: its own address for 0, `page/<n>/` below it for the older ones. */
function listPath(address: string, number: number): string {
  return number === 0 ? address : `${address}page/${number}/`;
}

/** The files of all pages of a list of `count` articles. */
function filesOf(address: string, count: number, pageSize: number): string[] {
  const length = olderPages(count, pageSize) + 1;
  return Array.from({ length }, (_, number) => fileAt(listPath(address, number)));
}

/** The number that a file has as a page of the list in a folder; the page need not exist. */
function numberIn(file: string, folder: string): number | undefined {
  if (!file.startsWith(folder)) return undefined;
  const rest = file.slice(folder.length);
  if (rest === 'index.html') return 0;
  const number = /^page\/([1-9]\d{0,8})\/index\.html$/.exec(rest)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * A page of a list and its way to the others: the newest, its neighbours, the oldest. How many there are stands on the
 * list's own page alone, which every new article changes; on the others it would change them all.
 *
 * @param last the number of older pages. The page depends on whether it is `number`, `number + 1` or more.
 */
function pagerOf(address: string, number: number, last: number): Pager {
  const path = (other: number) => listPath(address, other);
  // In the order of the list: its own page is the one behind the last.
  const place = number || last + 1;
  return {
    number,
    newer: number === 0 ? undefined : path(number === last ? 0 : number + 1),
    older: place > 1 ? path(place - 1) : undefined,
    pageCount: number === 0 ? last + 1 : undefined,
    pageLinks: pageLinks([last + 1, place + 1, place, place - 1, 1], last + 1, (other) => {
      const shown = other > last ? 0 : other;
      return { number: shown, path: path(shown) };
    }),
  };
}

/**
 * The links to pages of a list, by their places in it.
 *
 * @param places in their order; those that are there twice, or outside of the list, are left out.
 */
export function pageLinks(
  places: readonly number[],
  pageCount: number,
  linkOf: (place: number) => Omit<PageLink, 'isAfterGap'>,
): PageLink[] {
  const linked = [...new Set(places.filter((place) => place >= 1 && place <= pageCount))];
  return linked.map((place, index) => ({
    ...linkOf(place),
    isAfterGap: Math.abs(place - (linked[index - 1] ?? place)) > 1,
  }));
}
