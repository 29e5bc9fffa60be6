import type { SiteInfo } from '../../host/page-types.js';
import { lowerBound } from '../index/article-list.js';
import type { SiteChange } from '../index/site-index.js';
import type { Taxonomy, Term } from '../index/taxonomy.js';
import { numbered, type Page, type Pager, sitePage, type TagLink } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fileAt, linkBelow } from './addresses.js';
import { pageLinks } from './list-pages.js';
import { type Output, renderedPages } from './output.js';

/** Tags on one page. */
const TAGS_PER_PAGE = 500;

/** The list of all tags, in the order of the site's language. */
export function tagIndex(site: SiteInfo, tags: Taxonomy, context: () => RenderContext): Output {
  const { compare } = new Intl.Collator(site.language);
  const names: string[] = [];

  function affectedBy({ tags: { changed, readdressed, added, removed } }: SiteChange): Set<string> {
    const before = pageCount();
    let from = Number.POSITIVE_INFINITY;
    for (const name of removed) {
      const position = positionOf(name);
      if (names[position] === name) names.splice(position, 1);
      from = Math.min(from, position);
    }
    for (const name of added) {
      const position = positionOf(name);
      if (names[position] !== name) names.splice(position, 0, name);
      from = Math.min(from, position);
    }
    const numbers = new Set([...changed, ...readdressed].map(({ name }) => pageOf(positionOf(name))));
    const first = before === pageCount() ? pageOf(from) : 1; // all link the last one
    for (let number = first; number <= Math.max(before, pageCount()); number++) numbers.add(number);
    return new Set([...numbers].map((number) => fileAt(indexPath(number))));
  }

  /** Where a tag stands, or would. */
  function positionOf(name: string): number {
    return lowerBound(names, (other) => byName(other, name) < 0);
  }

  function byName(a: string, b: string): number {
    return compare(a, b) || (a < b ? -1 : Number(a > b));
  }

  function pageCount(): number {
    return Math.max(1, Math.ceil(names.length / TAGS_PER_PAGE));
  }

  /** The number of the page in a file; undefined where there is no such page now. */
  function numberOf(file: string): number | undefined {
    const number =
      file === 'tags/index.html' ? 1 : Number(/^tags\/page\/(\d+)\/index\.html$/.exec(file)?.[1]);
    return number >= 1 && number <= pageCount() && fileAt(indexPath(number)) === file ? number : undefined;
  }

  function page(number: number): Page {
    const texts = {
      title: numbered({ t: 'tags' }, number === 1 ? 0 : number),
      description: { t: 'tagsOf', values: { site: site.title } },
    };
    return {
      ...sitePage(site, 'tags', indexPath(number), texts),
      tagLinks: names
        .slice((number - 1) * TAGS_PER_PAGE, number * TAGS_PER_PAGE)
        .flatMap((name) => tags.get(name) ?? [])
        .map(linkOf),
      pager: pagerOf(number, pageCount()),
    };
  }

  function linkOf({ name, address, list }: Term): TagLink {
    return { label: name, href: linkBelow(address, site), count: list.items.length };
  }

  function paths(): string[] {
    return Array.from({ length: pageCount() }, (_, index) => fileAt(indexPath(index + 1)));
  }

  return {
    reserved: ['tags/'],
    paths,
    has: (path) => numberOf(path) !== undefined,
    affectedBy,
    ...renderedPages(context, (path) => {
      const number = numberOf(path);
      return number === undefined ? undefined : page(number);
    }),
  };
}

function pageOf(position: number): number {
  return Math.floor(position / TAGS_PER_PAGE) + 1;
}

function pagerOf(number: number, pageCount: number): Pager {
  const near = [1, number - 1, number, number + 1, pageCount];
  return {
    number,
    newer: number > 1 ? indexPath(number - 1) : undefined,
    older: number < pageCount ? indexPath(number + 1) : undefined,
    pageCount,
    pageLinks: pageLinks(near, pageCount, (other) => ({ number: other, path: indexPath(other) })),
  };
}

function indexPath(number: number): string {
  return number === 1 ? '/tags/' : `/tags/page/${number}/`;
}
