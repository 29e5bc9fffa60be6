import type { SiteInfo } from '../../host/pages/page-types.js';
import { fileAt, linkBelow } from '../index/addresses.js';
import { type Post, summaryOf } from '../index/article-entry.js';
import { termTextPathOf } from '../index/owner-texts.js';
import type { Term } from '../index/taxonomy.js';
import type { Text } from '../render/i18n.js';
import { type Page, type Pager, sitePage } from '../render/page.js';
import { type Planned, type Planner, plannedPage, type Sources } from './planner.js';

/** Settings for the pages of lists. */
export interface ListSettings {
  readonly site: SiteInfo;
  /** The number of articles on the home page and on every full page of a list. */
  readonly pageSize: number;
}

/** Plans the home page, which shows the newest articles. */
export function homePage({ site, pageSize }: ListSettings): Planner {
  const texts = { title: site.title, description: site.description };
  return (sources) => {
    const posts = sources.index.posts.slice(-pageSize).reverse();
    const page = (): Page => ({ ...sitePage(site, 'home', '/', texts), articles: posts.map(summaryOf) });
    return [plannedPage(sources, 'index.html', posts.map(sources.index.keyOf), page)];
  };
}

/** Plans the list of all articles. */
export function archivePages(settings: ListSettings): Planner {
  const description = { t: 'archiveOf', values: { site: settings.site.title } };
  const frame: Frame = { kind: 'archive', address: '/archive/', title: { t: 'archive' }, description };
  return (sources) => pagesOfList(frame, sources.index.posts, sources, settings);
}

/** Plans the list of articles for each tag, or for each author. */
export function termPages(settings: ListSettings, kind: 'tag' | 'author'): Planner {
  const phrase = kind === 'tag' ? 'articlesAbout' : 'articlesBy';

  function frameOf({ name, address }: Term, { index }: Sources): Frame {
    const text = index.texts.get(termTextPathOf(address));
    const title = text?.title || name;
    const description = text?.description || { t: phrase, values: { [kind]: name } };
    return { kind, address, title, description, more: { [kind]: name, ...(text && { page: text }) } };
  }

  return function* (sources) {
    const { tags, authors } = sources.index;
    for (const term of (kind === 'tag' ? tags : authors).all())
      yield* pagesOfList(frameOf(term, sources), term.posts, sources, settings);
  };
}

/** Plans the list of all tags, sorted by the rules of the site's language. */
export function tagIndex(site: SiteInfo): Planner {
  const { compare } = new Intl.Collator(site.language);
  const byName = (a: Term, b: Term) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  const texts = { title: { t: 'tags' }, description: { t: 'tagsOf', values: { site: site.title } } };

  return (sources) => {
    const tagLinks = [...sources.index.tags.all()].sort(byName).map(({ name, address, posts }) => ({
      label: name,
      href: linkBelow(address, site),
      count: posts.length,
    }));
    const page = (): Page => ({ ...sitePage(site, 'tags', '/tags/', texts), tagLinks });
    return [plannedPage(sources, 'tags/index.html', [JSON.stringify(tagLinks)], page)];
  };
}

/** The common fields of a list's pages. */
interface Frame {
  readonly kind: 'archive' | 'tag' | 'author';
  /** The path of the list's first page, ending in a slash. */
  readonly address: string;
  readonly title: Text;
  readonly description: Text;
  readonly more?: Partial<Pick<Page, 'page' | 'tag' | 'author'>>;
}

function* pagesOfList(
  { kind, address, title, description, more }: Frame,
  posts: readonly Post[],
  sources: Sources,
  { site, pageSize }: ListSettings,
): Generator<Planned> {
  const inputs = JSON.stringify([title, description, more]);
  for (const { path, items, pager } of listPages(address, posts, pageSize))
    yield plannedPage(
      sources,
      fileAt(path),
      [inputs, JSON.stringify(pager), ...items.map(sources.index.keyOf)],
      () => ({
        ...sitePage(site, kind, path, { title: numbered(title, pager.number), description }),
        ...more,
        articles: items.map(summaryOf),
        pager,
      }),
    );
}

/** Makes the title of a list's page: the first page, which has the number 0, has no number in its title. */
function numbered(title: Text, number: number): Text {
  return number === 0 ? title : { t: 'page', values: { title, number } };
}

/**
 * Splits a list into pages, each with its articles, newest first. Older pages are always full and numbered from the oldest, so
 * that their articles do not move when new articles come; the first page has one to two pages' worth of articles. A new page
 * changes only links on the pages next to it. An article that is inserted at an earlier date or removed moves the articles of
 * all newer pages.
 *
 * @param address the path of the list's first page, ending in a slash.
 * @param posts oldest first.
 * @param pageSize the number of articles on an older page.
 */
export function* listPages(address: string, posts: readonly Post[], pageSize: number) {
  const older = Math.max(0, Math.floor(posts.length / pageSize) - 1);
  for (let number = 0; number <= older; number++) {
    const start = (number === 0 ? older : number - 1) * pageSize;
    const end = number === 0 ? posts.length : start + pageSize;
    yield {
      path: listPath(address, number),
      items: posts.slice(start, end).reverse(),
      pager: pagerOf(address, number, older),
    };
  }
}

/** Returns the path of a list's page: the list's address for 0, `page/<n>/` below it for older pages. */
function listPath(address: string, number: number): string {
  return number === 0 ? address : `${address}page/${number}/`;
}

/**
 * Makes a page's links to other pages: the newest, its neighbours and the oldest. Only the first page, which every new article
 * changes, shows the number of pages: on older pages, a new page would change them all.
 *
 * @param last the number of older pages.
 */
function pagerOf(address: string, number: number, last: number): Pager {
  const path = (other: number) => listPath(address, other);
  // In the order of pages from the oldest, the first page comes after the last number.
  const place = number || last + 1;
  const places = [last + 1, place + 1, place, place - 1, 1].filter((one) => one >= 1 && one <= last + 1);
  const linked = [...new Set(places)];
  return {
    number,
    newer: number === 0 ? undefined : path(number === last ? 0 : number + 1),
    older: place > 1 ? path(place - 1) : undefined,
    pageCount: number === 0 ? last + 1 : undefined,
    pageLinks: linked.map((one, index) => {
      const shown = one > last ? 0 : one;
      const isAfterGap = Math.abs(one - (linked[index - 1] ?? one)) > 1;
      return { number: shown, path: path(shown), isAfterGap };
    }),
  };
}
