import type { SiteInfo } from '../../host/page-types.js';
import { isChangedFrom } from '../index/article-list.js';
import type { SiteIndex } from '../index/site-index.js';
import { sitePage, summaryOf } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fixedOutput, type Output } from './output.js';

const HOME = 'index.html';

/** The home page, which shows the newest articles. */
export function homePage(
  site: SiteInfo,
  { all }: Pick<SiteIndex, 'all'>,
  pageSize: number,
  context: () => RenderContext,
): Output {
  const texts = { title: site.title, description: site.description };

  return {
    reserved: [HOME],
    paths: () => [HOME],
    has: (path) => path === HOME,
    affectedBy: (change) => (isChangedFrom(change.all, all.items.length - pageSize) ? [HOME] : []),
    render: () => {
      const newest = all.items.slice(-pageSize).reverse();
      const articles = newest.map(({ entry }) => summaryOf(entry));
      return context().render({ ...sitePage(site, 'home', '/', texts), articles });
    },
  };
}

/** The page for addresses that do not exist. */
export function notFoundPage(site: SiteInfo, context: () => RenderContext): Output {
  const page = sitePage(site, 'notFound', '/404.html', { title: { t: 'notFound' }, description: '' });
  return fixedOutput(new Map([[page.file, () => context().render(page)]]));
}

/** The page of the search; a site without search has none. */
export function searchPage(site: SiteInfo, context: () => RenderContext): Output {
  const page = sitePage(site, 'search', '/search/', {
    title: { t: 'search' },
    description: { t: 'searchOf', values: { site: site.title } },
  });
  const files = new Map(site.search ? [[page.file, () => context().render(page)] as const] : []);
  return { ...fixedOutput(files), reserved: ['search/', 'pagefind/'] };
}
