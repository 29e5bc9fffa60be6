import type { SiteInfo } from '../../host/pages/page-types.js';
import type { Term } from '../index/taxonomy.js';
import { sitePage, type TagLink } from '../render/page.js';
import { linkBelow } from './addresses.js';
import type { Output } from './output.js';

/** The list of all tags, in the order of the site's language. */
export function tagIndex(site: SiteInfo): Output {
  const { compare } = new Intl.Collator(site.language);
  const byName = (a: Term, b: Term) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1);
  const texts = { title: { t: 'tags' }, description: { t: 'tagsOf', values: { site: site.title } } };
  const linkOf = ({ name, address, posts }: Term): TagLink => ({
    label: name,
    href: linkBelow(address, site),
    count: posts.length,
  });

  return {
    reserved: ['tags/'],
    *plan(sources) {
      const tagLinks = [...sources.index.tags.all()].sort(byName).map(linkOf);
      yield sources.context.plan('tags/index.html', [JSON.stringify(tagLinks)], () => ({
        ...sitePage(site, 'tags', '/tags/', texts),
        tagLinks,
      }));
    },
  };
}
