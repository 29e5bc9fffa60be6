import type { SiteInfo } from '../../host/page-types.js';
import type { Term } from '../index/taxonomy.js';
import { numbered, type Pager, sitePage, type TagLink } from '../render/page.js';
import { fileAt, linkBelow } from './addresses.js';
import { pageLinks } from './lists.js';
import { type Output, plannedPage } from './output.js';

/** Tags on one page. */
const TAGS_PER_PAGE = 500;

/** The list of all tags, in the order of the site's language. */
export function tagIndex(site: SiteInfo): Output {
  const { compare } = new Intl.Collator(site.language);
  const byName = (a: Term, b: Term) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  const description = { t: 'tagsOf', values: { site: site.title } };

  return {
    reserved: ['tags/'],
    *plan(sources) {
      const terms = [...sources.index.tags.all()].sort(byName);
      const count = Math.max(1, Math.ceil(terms.length / TAGS_PER_PAGE));
      for (let number = 1; number <= count; number++) {
        const tagLinks = terms.slice((number - 1) * TAGS_PER_PAGE, number * TAGS_PER_PAGE).map(linkOf);
        const path = indexPath(number);
        const title = numbered({ t: 'tags' }, number === 1 ? 0 : number);
        const pager = pagerOf(number, count);
        yield plannedPage(sources, fileAt(path), [JSON.stringify([tagLinks, count])], () => ({
          ...sitePage(site, 'tags', path, { title, description }),
          tagLinks,
          pager,
        }));
      }
    },
  };

  function linkOf({ name, address, posts }: Term): TagLink {
    return { label: name, href: linkBelow(address, site), count: posts.length };
  }
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
