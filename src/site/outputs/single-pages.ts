import type { SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isChangedFrom } from '../index/article-list.js';
import { addressOfPage, type OwnerText } from '../index/owner-texts.js';
import type { SiteIndex } from '../index/site-index.js';
import { sitePage } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { fileAt, pathOf } from './addresses.js';
import type { ListDeps } from './list-pages.js';
import { fixedOutput, type Output, renderedPages } from './output.js';

const HOME = 'index.html';
const NOT_FOUND = '404.html';
const INDEX = '/index.html';

/** The home page, which shows the newest articles. */
export function homePage({ site, pageSize, context, summaryOf }: ListDeps, all: ArticleList): Output {
  const texts = { title: site.title, description: site.description };

  return {
    reserved: [HOME],
    paths: () => [HOME],
    has: (path) => path === HOME,
    affectedBy: (change) => (isChangedFrom(change.all, all.items.length - pageSize) ? [HOME] : []),
    render: () => {
      const articles = all.items.slice(-pageSize).reverse().map(summaryOf);
      return context().render({ ...sitePage(site, 'home', '/', texts), articles });
    },
  };
}

/** The page for addresses that do not exist. */
export function notFoundPage(site: SiteInfo, context: () => RenderContext): Output {
  const page = sitePage(site, 'notFound', `/${NOT_FOUND}`, { title: { t: 'notFound' }, description: '' });
  const files = new Map([[NOT_FOUND, () => context().render(page)]]);
  return fixedOutput([NOT_FOUND], () => files);
}

/** The page of the search; a site without search has none. */
export function searchPage(site: SiteInfo, context: () => RenderContext): Output {
  const page = sitePage(site, 'search', '/search/', {
    title: { t: 'search' },
    description: { t: 'searchOf', values: { site: site.title } },
  });
  const files = new Map(site.search ? [['search/index.html', () => context().render(page)]] : []);
  return fixedOutput(['search/', 'pagefind/'], () => files);
}

/** The pages that the owner wrote; none where an article, or a page of the site's own, stands already. */
export function standalonePages(
  site: SiteInfo,
  { texts }: Pick<SiteIndex, 'texts'>,
  context: () => RenderContext,
): Output {
  const at = (file: string): OwnerText | undefined =>
    file.endsWith(INDEX) ? texts.get(`pages/${file.slice(0, -INDEX.length)}.md`) : undefined;

  return {
    reserved: [],
    paths: () => filesOf(texts.keys()),
    has: (path) => at(path) !== undefined,
    affectedBy: (change) => filesOf(change.texts),
    ...renderedPages(context, (file) => {
      const page = at(file);
      if (page === undefined) return undefined;
      const { title, description } = page;
      return { ...sitePage(site, 'page', pathOf(file), { title, description }), page };
    }),
  };
}

/** The files of those pages among the owner's texts. */
function* filesOf(paths: Iterable<string>): Generator<string> {
  for (const path of paths) {
    const address = addressOfPage(path);
    if (address !== undefined) yield fileAt(address);
  }
}
