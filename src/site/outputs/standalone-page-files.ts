import type { SiteInfo } from '../../host/page-types.js';
import { sitePage } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import type { Output } from './output.js';

/** The pages that the owner wrote; none where an article, or a page of the site's own, stands already. */
export function standalonePageFiles(site: SiteInfo, context: () => RenderContext): Output {
  const all = () => context().pages.all;
  return {
    reserved: [],
    paths: () => all().keys(),
    has: (path) => all().has(path),
    affectedBy: () => [],
    keeps: (path) => all().get(path)?.broken !== undefined,
    render: (file) => {
      const page = all().get(file);
      if (page === undefined) return undefined;
      const { path, title, description, html, extra } = page;
      const frame = sitePage(site, 'page', path, { title, description });
      return context().render({ ...frame, page: { title, description, html, extra } });
    },
  };
}
