import type { SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isAnyChanged, type ListChange, type Post } from '../index/article-list.js';
import type { SiteChange } from '../index/site-index.js';
import type { Taxonomy } from '../index/taxonomy.js';
import type { Text } from '../render/i18n.js';
import { numbered, type Page, sitePage, summaryOf } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fileAt } from './addresses.js';
import type { Output } from './output.js';

/** What the pages of lists are made with. */
interface ListDeps {
  readonly site: SiteInfo;
  /** Articles on every full page. */
  readonly pageSize: number;
  context(): RenderContext;
}

const ARCHIVE = '/archive/';

/** The list of all articles. */
export function archivePages(deps: ListDeps, all: ArticleList): Output {
  const { site, pageSize, context } = deps;
  const frameOf = (path: string, number: number): Page => {
    const description = { t: 'archiveOf', values: { site: site.title } };
    return sitePage(site, 'archive', path, { title: numbered({ t: 'archive' }, number), description });
  };

  return {
    reserved: ['archive/'],
    paths: () => filesOf(ARCHIVE, all.items.length, pageSize),
    has: (path) => listAt(path, ARCHIVE, all, pageSize) !== undefined,
    affectedBy: (change) => changedFiles(ARCHIVE, all, change.all, pageSize),
    render: (path) => {
      const list = listAt(path, ARCHIVE, all, pageSize);
      return list && context().render(pageOf(list, frameOf(list.path, list.number)));
    },
  };
}

/** The lists of the articles of each tag, or of each author. */
export function termPages(deps: ListDeps, kind: 'tag' | 'author', terms: Taxonomy): Output {
  const { site, pageSize, context } = deps;
  const folder = `${kind}s/`;
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
    for (const [term, listChange] of change.terms)
      if (terms.get(term.name) === term) yield* changedFiles(term.address, term.list, listChange, pageSize);
  }

  return {
    reserved: [folder],
    paths,
    has: (path) => find(path) !== undefined,
    affectedBy,
    render: (path) => {
      const found = find(path);
      if (found === undefined) return undefined;
      const { list, term } = found;
      const texts = { title: numbered(term.name, list.number), description: describe(term.name) };
      return context().render(pageOf(list, { ...sitePage(site, kind, list.path, texts), [kind]: term.name }));
    },
  };
}

function pageOf({ items, number, newer, older }: ListPage, frame: Page): Page {
  return { ...frame, articles: items.map(({ entry }) => summaryOf(entry)), number, newer, older };
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
  /** 0 for the newest, the list's own address; else counted from the oldest. */
  readonly number: number;
  /** Newest first. */
  readonly items: readonly Post[];
  /** The paths of the pages beside it. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * How many older pages a list of `count` articles has. Pages are counted from the oldest and only full ones
 * leave the list's own page, which so holds one to two pages' worth: the articles of an older page stay when newer
 * ones come. Only its link to the newer page changes, once, when the next page is cut off. An article that comes in
 * earlier or goes moves those of all later pages.
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
  const path = (neighbour: number) => listPath(address, neighbour);
  return {
    path: path(number),
    number,
    items: items.slice(start, end).reverse(),
    newer: number === 0 ? undefined : path(number === older ? 0 : number + 1),
    older: (number || older + 1) > 1 ? path((number || older + 1) - 1) : undefined,
  };
}

/** The numbers of the pages of a list that may look different after `changes`, also of those that are no more. */
export function changedNumbers(changes: ListChange, count: number, pageSize: number): Set<number> {
  const numbers = new Set<number>();
  if (!isAnyChanged(changes)) return numbers;
  const older = olderPages(count, pageSize);
  const last = Math.max(older, olderPages(changes.before, pageSize));
  for (const position of changes.touched) {
    const number = Math.floor(position / pageSize) + 1;
    numbers.add(number > older ? 0 : number);
  }
  if (changes.from === Number.POSITIVE_INFINITY) return numbers;
  numbers.add(0);
  // When the list grows by a page, the page before it gets another neighbour: two pages earlier is early enough.
  const first = Math.max(1, Math.floor((changes.from - 2 * pageSize) / pageSize) + 1);
  for (let number = first; number <= last; number++) numbers.add(number);
  return numbers;
}
