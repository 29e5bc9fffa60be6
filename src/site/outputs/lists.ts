import type { SiteInfo } from '../../host/pages/page-types.js';
import { fileAt, linkBelow } from '../index/addresses.js';
import { type Post, summaryOf } from '../index/article-entry.js';
import { termTextPathOf } from '../index/owner-texts.js';
import type { Term } from '../index/taxonomy.js';
import type { Text } from '../render/i18n.js';
import { type Page, type Pager, sitePage } from '../render/page.js';
import { type Planned, type Planner, plannedPage, type Sources } from './planner.js';

/** What the pages of lists are made with. */
export interface ListSettings {
  readonly site: SiteInfo;
  /** Articles on the home page and on every full page of a list. */
  readonly pageSize: number;
}

/** The home page, which shows the newest articles. */
export function homePage({ site, pageSize }: ListSettings): Planner {
  const texts = { title: site.title, description: site.description };
  return (sources) => {
    const posts = sources.index.posts.slice(-pageSize).reverse();
    const page = (): Page => ({ ...sitePage(site, 'home', '/', texts), articles: posts.map(summaryOf) });
    return [plannedPage(sources, 'index.html', posts.map(sources.index.keyOf), page)];
  };
}

/** The list of all articles. */
export function archivePages(settings: ListSettings): Planner {
  const description = { t: 'archiveOf', values: { site: settings.site.title } };
  const frame: Frame = { kind: 'archive', address: '/archive/', title: { t: 'archive' }, description };
  return (sources) => pagesOfList(frame, sources.index.posts, sources, settings);
}

/** The lists of the articles of each tag, or of each author. */
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

/** The list of all tags, in the order of the site's language. */
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

/** What the pages of a list have in common. */
interface Frame {
  readonly kind: 'archive' | 'tag' | 'author';
  /** The path of the list's own page, ending in a slash. */
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

/** The title of a list's page: the list's own, which has the number 0, has no number. */
function numbered(title: Text, number: number): Text {
  return number === 0 ? title : { t: 'page', values: { title, number } };
}

/**
 * The pages of a list, each with its articles, newest first. They are counted from the oldest, and only full ones leave the
 * list's own page, which so holds one to two pages' worth: the articles of an older page stay when newer ones come. Only its
 * links to newer pages change, when the next page and the one after that are cut off. An article that comes in earlier or goes
 * moves those of all later pages.
 *
 * @param address the path of the list's own page, ending in a slash.
 * @param posts oldest first.
 * @param pageSize articles on an older page.
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

/** The path of a list's page: its own address for 0, `page/<n>/` below it for the older ones. */
function listPath(address: string, number: number): string {
  return number === 0 ? address : `${address}page/${number}/`;
}

/**
 * A page of a list and its way to the others: the newest, its neighbours, the oldest. How many there are stands on the
 * list's own page alone, which every new article changes; on the others it would change them all.
 *
 * @param last the number of older pages.
 */
function pagerOf(address: string, number: number, last: number): Pager {
  const path = (other: number) => listPath(address, other);
  // In the order of the list: its own page is the one behind the last.
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
