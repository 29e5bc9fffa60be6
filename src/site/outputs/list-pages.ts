import type { ArticleSummary, SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isAnyChanged, type ListChange, type Post } from '../index/article-list.js';
import type { SiteChange, SiteIndex } from '../index/site-index.js';
import { termPathOf } from '../index/term-pages.js';
import type { Text } from '../render/i18n.js';
import { numbered, type Page, type PageLink, type Pager, sitePage } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fileAt } from './addresses.js';
import { type Output, pagesOf } from './output.js';

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

const ARCHIVE = '/archive/';

/** The list of all articles. */
export function archivePages(deps: ListDeps, all: ArticleList): Output {
  const { site, pageSize, context, summaryOf } = deps;
  const frameOf = (path: string, number: number): Page => {
    const description = { t: 'archiveOf', values: { site: site.title } };
    return sitePage(site, 'archive', path, { title: numbered({ t: 'archive' }, number), description });
  };

  return {
    reserved: ['archive/'],
    paths: () => filesOf(ARCHIVE, all.items.length, pageSize),
    has: (path) => listAt(path, ARCHIVE, all, pageSize) !== undefined,
    affectedBy: (change) => changedFiles(ARCHIVE, all, change.all, pageSize),
    ...pagesOf(context, (path) => {
      const list = listAt(path, ARCHIVE, all, pageSize);
      const frame = list && frameOf(list.path, list.pager.number);
      return frame && { ...frame, articles: list.items.map(summaryOf), pager: list.pager };
    }),
  };
}

/** The lists of the articles of each tag, or of each author. */
export function termPages(
  deps: ListDeps,
  kind: 'tag' | 'author',
  index: Pick<SiteIndex, 'tags' | 'authors' | 'termPages'>,
): Output {
  const { site, pageSize, context, summaryOf } = deps;
  const folder = `${kind}s/`;
  const terms = kind === 'tag' ? index.tags : index.authors;
  const describe: (name: string) => Text = (name) =>
    kind === 'tag'
      ? { t: 'articlesAbout', values: { tag: name } }
      : { t: 'articlesBy', values: { author: name } };

  function find(path: string) {
    const slug = path.startsWith(folder) ? path.slice(folder.length).split('/', 1)[0] : undefined;
    const term = slug === undefined ? undefined : terms.at(slug);
    const list = term && listAt(path, term.address, term.list, pageSize);
    return term && list && { term, list };
  }

  function* paths(): Generator<string> {
    for (const { address, list } of terms.all()) yield* filesOf(address, list.items.length, pageSize);
  }

  function* affectedBy(change: SiteChange): Generator<string> {
    const { vacated } = kind === 'tag' ? change.tags : change.authors;
    for (const { address, count } of vacated) yield* filesOf(address, count, pageSize);
    for (const path of change.termPages) {
      const term = path.startsWith(folder) ? terms.at(path.slice(folder.length, -'.md'.length)) : undefined;
      if (term !== undefined) yield* filesOf(term.address, term.list.items.length, pageSize);
    }
    for (const [term, listChange] of change.terms)
      if (terms.get(term.name) === term) yield* changedFiles(term.address, term.list, listChange, pageSize);
  }

  return {
    reserved: [folder],
    paths,
    has: (path) => find(path) !== undefined,
    affectedBy,
    ...pagesOf(context, (path) => {
      const found = find(path);
      if (found === undefined) return undefined;
      const {
        list: { path: at, items, pager },
        term: { name, address },
      } = found;
      const page = index.termPages.get(termPathOf(address));
      const texts = {
        title: numbered(page?.title || name, pager.number),
        description: page?.description || describe(name),
      };
      const frame = { ...sitePage(site, kind, at, texts), [kind]: name, ...(page && { page }) };
      return { ...frame, articles: items.map(summaryOf), pager };
    }),
  };
}

/** The page of a list that stands in a file; undefined where it is none of this list's. */
function listAt(file: string, address: string, list: ArticleList, pageSize: number): ListPage | undefined {
  const folder = address.slice(1);
  const number = file.startsWith(folder) ? listNumber(file.slice(folder.length)) : undefined;
  return number === undefined ? undefined : listPage(address, list, number, pageSize);
}

function filesOf(address: string, count: number, pageSize: number): string[] {
  return listPaths(address, count, pageSize).map(fileAt);
}

function changedFiles(
  address: string,
  { items }: ArticleList,
  change: ListChange,
  pageSize: number,
): string[] {
  return [...changedNumbers(change, items.length, pageSize)].map((number) =>
    fileAt(listPath(address, number)),
  );
}

/** One page of a list of articles. */
export interface ListPage {
  /** Below the site's base path. */
  readonly path: string;
  /** Newest first. */
  readonly items: readonly Post[];
  readonly pager: Pager;
}

/**
 * How many older pages a list of `count` articles has. Pages are counted from the oldest and only full ones
 * leave the list's own page, which so holds one to two pages' worth: the articles of an older page stay when newer
 * ones come. Only its links to newer pages change, when the next page and the one after that are cut off. An article
 * that comes in earlier or goes moves those of all later pages.
 */
export function olderPages(count: number, pageSize: number): number {
  return Math.max(0, Math.floor(count / pageSize) - 1);
}

/** The path of a list's page: its own address for 0, `page/<n>/` below it for the older ones. */
export function listPath(address: string, number: number): string {
  return number === 0 ? address : `${address}page/${number}/`;
}

/** The paths of all pages of a list. */
export function listPaths(address: string, count: number, pageSize: number): string[] {
  return Array.from({ length: olderPages(count, pageSize) + 1 }, (_, number) => listPath(address, number));
}

/** The number that a file below a list's folder has as a page of it; the page need not exist. */
export function listNumber(rest: string): number | undefined {
  if (rest === 'index.html') return 0;
  const number = /^page\/([1-9]\d{0,8})\/index\.html$/.exec(rest)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * A page of a list as it is now; undefined where the list has no such page.
 *
 * @param address the list's own path, ending in a slash.
 * @param pageSize articles on an older page.
 */
export function listPage(
  address: string,
  { items }: ArticleList,
  number: number,
  pageSize: number,
): ListPage | undefined {
  const older = olderPages(items.length, pageSize);
  if (number > older) return undefined;
  const start = (number === 0 ? older : number - 1) * pageSize;
  const end = number === 0 ? items.length : start + pageSize;
  return {
    path: listPath(address, number),
    items: items.slice(start, end).reverse(),
    pager: pagerOf(address, number, older),
  };
}

/**
 * A page of a list and its way to the others: the newest, those beside it, the oldest. How many there are stands on the
 * list's own page alone, which every new article changes; on the others it would change them all.
 *
 * @param last the number of older pages. The page depends on whether it is `number`, `number + 1` or more.
 */
function pagerOf(address: string, number: number, last: number): Pager {
  const path = (other: number) => listPath(address, other);
  // In the order of the list: its own page is the one behind the last.
  const place = number || last + 1;
  const numbers = [last + 1, place + 1, place, place - 1, 1].filter(
    (other) => other >= 1 && other <= last + 1,
  );
  const linked = [...new Set(numbers)];
  const pageLinks = linked.map((other, index): PageLink => {
    const shown = other > last ? 0 : other;
    return {
      number: shown,
      path: path(shown),
      isAfterGap: index > 0 && (linked[index - 1] ?? 0) - other > 1,
    };
  });
  return {
    number,
    newer: number === 0 ? undefined : path(number === last ? 0 : number + 1),
    older: place > 1 ? path(place - 1) : undefined,
    pageCount: number === 0 ? last + 1 : undefined,
    pageLinks,
  };
}

/** The numbers of the pages of a list that may look different after `changes`, also of those that are no more. */
export function changedNumbers(changes: ListChange, count: number, pageSize: number): Set<number> {
  const numbers = new Set<number>();
  if (!isAnyChanged(changes)) return numbers;
  const older = olderPages(count, pageSize);
  const before = olderPages(changes.before, pageSize);
  for (const position of changes.touched) {
    const number = Math.floor(position / pageSize) + 1;
    numbers.add(number > older ? 0 : number);
  }
  if (changes.from === Number.POSITIVE_INFINITY) return numbers;
  numbers.add(0);
  const moved = Math.floor(changes.from / pageSize) + 1;
  // When the list grows by a page, the two before it link more pages; see `pagerOf`.
  const linking = before === older ? moved : Math.max(1, Math.min(before, older) - 1);
  for (let number = Math.min(moved, linking); number <= Math.max(before, older); number++)
    numbers.add(number);
  return numbers;
}
