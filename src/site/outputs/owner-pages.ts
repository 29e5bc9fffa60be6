import type { SiteInfo } from '../../host/pages/page-types.js';
import { fileAt } from '../index/addresses.js';
import { addressOfPage } from '../index/owner-texts.js';
import { sitePage } from '../render/page.js';
import { type Planner, plannedPage } from './planner.js';

/** The pages that the owner wrote. */
export function ownerPages(site: SiteInfo): Planner {
  return function* (sources) {
    for (const [path, text] of sources.index.texts) {
      const address = addressOfPage(path);
      if (address === undefined) continue;
      const { title, description, fingerprint } = text;
      yield plannedPage(sources, fileAt(address), [JSON.stringify(fingerprint)], () => ({
        ...sitePage(site, 'page', address, { title, description }),
        page: text,
      }));
    }
  };
}

/** The page for addresses that do not exist. */
export function notFoundPage(site: SiteInfo): Planner {
  const path = '404.html';
  const texts = { title: { t: 'notFound' }, description: '' };
  return (sources) => [plannedPage(sources, path, [], () => sitePage(site, 'notFound', `/${path}`, texts))];
}

/** The page of the search; a site without search has none. */
export function searchPage(site: SiteInfo): Planner {
  const texts = {
    title: { t: 'search' },
    description: { t: 'searchOf', values: { site: site.title } },
  };
  const page = () => sitePage(site, 'search', '/search/', texts);
  return (sources) => (site.search ? [plannedPage(sources, 'search/index.html', [], page)] : []);
}
