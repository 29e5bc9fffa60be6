import type { SiteInfo } from '../../host/page-types.js';
import type { Taxonomy, TaxonomyChanges, Term } from '../index/taxonomy.js';
import { numbered, type Page, sitePage, type TagLink } from '../render/page.js';
import { fileAt, linkBelow } from './addresses.js';

/** Tags on one page. */
const TAGS_PER_PAGE = 500;

/** The list of all tags; see `createTagIndex`. */
export interface TagIndex {
  /** The files that it has. */
  files(): string[];
  /** Takes changes in, and gives the files that may differ then, also those that are no more. */
  take(changes: TaxonomyChanges): Set<string>;
  /** What makes one of its pages; undefined where it has no such page now. */
  at(file: string): { readonly is: 'page'; page(): Page } | undefined;
}

/** The list of all tags, in the order of the site's language. */
export function createTagIndex(site: SiteInfo, tags: Taxonomy): TagIndex {
  const { compare } = new Intl.Collator(site.language);
  const names: string[] = [];

  function take({ changed, readdressed, added, removed }: TaxonomyChanges): Set<string> {
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
    for (let number = pageOf(from); number <= Math.max(before, pageCount()); number++) numbers.add(number);
    // The last page's link to the next comes and goes with that.
    if (before !== pageCount()) numbers.add(Math.min(before, pageCount()));
    return new Set([...numbers].map((number) => fileAt(indexPath(number))));
  }

  /** Where a tag stands, or would. */
  function positionOf(name: string): number {
    let low = 0;
    for (let high = names.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (byName(names[middle] ?? '', name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function byName(a: string, b: string): number {
    return compare(a, b) || (a < b ? -1 : Number(a > b));
  }

  function pageCount(): number {
    return Math.max(1, Math.ceil(names.length / TAGS_PER_PAGE));
  }

  function at(file: string) {
    const number =
      file === 'tags/index.html' ? 1 : Number(/^tags\/page\/(\d+)\/index\.html$/.exec(file)?.[1]);
    if (!(number >= 1 && number <= pageCount()) || fileAt(indexPath(number)) !== file) return undefined;
    return { is: 'page', page: () => page(number) } as const;
  }

  function page(number: number): Page {
    const texts = {
      title: numbered({ say: 'tags' }, number === 1 ? 0 : number),
      description: { say: 'tagsOf', values: { site: site.title } },
    };
    return {
      ...sitePage(site, 'tags', indexPath(number), texts),
      tagLinks: names
        .slice((number - 1) * TAGS_PER_PAGE, number * TAGS_PER_PAGE)
        .flatMap((name) => tags.get(name) ?? [])
        .map(linkOf),
      newer: number > 1 ? indexPath(number - 1) : undefined,
      older: number < pageCount() ? indexPath(number + 1) : undefined,
    };
  }

  function linkOf({ name, address, list }: Term): TagLink {
    return { label: name, href: linkBelow(address, site), count: list.items.length };
  }

  function files(): string[] {
    return Array.from({ length: pageCount() }, (_, index) => fileAt(indexPath(index + 1)));
  }

  return { files, take, at };
}

function pageOf(position: number): number {
  return Math.floor(position / TAGS_PER_PAGE) + 1;
}

function indexPath(number: number): string {
  return number === 1 ? '/tags/' : `/tags/page/${number}/`;
}
