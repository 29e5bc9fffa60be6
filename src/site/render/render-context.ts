import { hash } from 'node:crypto';
import { itemComments, keepItemComments } from '../../article/article.js';
import { messageOf } from '../../errors.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { PageContext, PageKind, SiteInfo, StandalonePage } from '../../host/pages/page-types.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { ContentFolder } from '../../store/catalog/entry.js';
import type { SiteOptions } from '../options.js';
import { keyOf, type Planned } from '../planned.js';
import { withCodeColours } from './code-colours.js';
import { type DateFormats, dateFormats } from './dates.js';
import { withHeadings } from './headings.js';
import { createHelpers, type Linked } from './helpers.js';
import { textOf } from './i18n.js';
import type { Page, PageLink } from './page.js';
import type { Theme } from './theme.js';

/** How the site looks with one index: the theme, and what makes pages of it. */
export interface RenderContext {
  readonly theme: Theme;
  /** Of all that pages depend on besides the articles; another key means that all pages may look different. */
  readonly key: string;
  /** Renders a page to HTML through the filters. */
  render(page: Page): Promise<string>;
  /** Plans a page that depends on these inputs, besides all that `key` stands for. */
  plan(path: string, inputs: readonly string[], page: () => Page | undefined): Planned;
  /**
   * The files that pages link, and what the theme has for the top of the site, such as `favicon.ico`. That stands in place
   * of a file of the site's own.
   */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
}

/** Changes with the generator, where the same articles and templates make other pages. */
const FORMAT = 9;

/** The icon, which every browser asks for. */
export const ICON = 'favicon.svg';

/** What front matter may name as a template: a file at the top of the theme, and not the frame of all pages. */
const LAYOUT = /^(?!layout$)[\w-]+$/;

const NO_LINKS: readonly PageLink[] = [];

/** What makes the contexts of indexes with this theme. */
export function renderContexts(theme: Theme, options: SiteOptions): (index: Linked) => RenderContext {
  const { site, hooks, content, pageSize, setupKey, contentSecurityPolicy = null } = options;
  const ofPlugins = helpersOf(options.additions);
  const dates = dateFormats(site);
  const further = [pageSize ?? null, parseKeyOf(content), setupKey?.() ?? '', contentSecurityPolicy];
  return (index) => renderContext(theme, site, hooks, dates, index, further, ofPlugins);
}

function renderContext(
  theme: Theme,
  site: SiteInfo,
  hooks: Hooks,
  dates: DateFormats,
  linked: Linked,
  further: readonly unknown[],
  ofPlugins: HelpersOfPlugins,
): RenderContext {
  const helpers = createHelpers(site, theme, dates, linked);
  // With links of the config's own, no page shows those of pages.
  const shown = site.navigation === null ? linked.navigation : null;
  const dependencies = [FORMAT, theme.hash, shown, site, hooks.switchedOff(), ...further];
  const key = hash('sha256', JSON.stringify(dependencies)).slice(0, 16);

  function plan(path: string, inputs: readonly string[], page: () => Page | undefined): Planned {
    return {
      path,
      key: keyOf(key, ...inputs),
      render: () => {
        const made = page();
        return made && render(made);
      },
    };
  }

  async function render(page: Page): Promise<string> {
    const { kind, path } = page;
    const info = { kind, path };
    let context = contextOf(page);
    if (hooks.hasFilter('page.context')) {
      context = keepVerbatim(await hooks.applyFilters('page.context', context, info), page);
    }
    if (hooks.hasFilter('page.head')) {
      context = { ...context, head: await hooks.applyFilters('page.head', context.head, context) };
    }
    const { article } = context;
    if (article !== null && hooks.hasFilter('page.content')) {
      const html = await hooks.applyFilters('page.content', article.html, context);
      context = {
        ...context,
        article: { ...article, html: keepItemComments(html, page.article?.html ?? '') },
      };
    }
    const html = theme.render(templateOf(kind, context), variablesOf(page, context));
    if (!hooks.hasFilter('page.html')) return html;
    return keepComments(await hooks.applyFilters('page.html', html, info), page.article?.html ?? '');
  }

  function contextOf(page: Page): PageContext {
    const { kind, canonical, articles, tag, author } = page;
    return {
      site,
      kind,
      title: textOf(theme.t, page.title),
      description: textOf(theme.t, page.description),
      canonical,
      article: page.article && shownText(page.article),
      page: page.page === undefined ? null : shownText(shownPage(page.page)),
      articles,
      tag,
      author,
      head: '',
      extra: page.extra ?? {},
    };
  }

  /** A text as readers get it: each heading can be linked to, and code has colours. */
  function shownText<Text extends Pick<StandalonePage, 'html' | 'toc' | 'extra'>>(text: Text) {
    const withLinks = withHeadings(text, site);
    return { ...withLinks, html: withCodeColours(withLinks.html) };
  }

  /** The template of a page: that of its kind, or for articles and pages what `layout` in the front matter names. */
  function templateOf(kind: PageKind, { article, page }: PageContext): string {
    const layout = (article ?? page)?.extra.layout;
    // What other generators call a layout is in the files of many, and names no template here.
    if (typeof layout === 'string' && LAYOUT.test(layout) && theme.has(layout)) return layout;
    return kind === 'notFound' ? 'not-found' : kind;
  }

  /** What templates get as `it`; documented in docs/themes.md. */
  function variablesOf({ path, pager, tagLinks }: Page, context: PageContext) {
    const links = { newer: pager?.newer, older: pager?.older, pageLinks: pager?.pageLinks ?? NO_LINKS };
    return {
      ...context,
      ...helpers,
      helpers: ofPlugins,
      ...links,
      path,
      tagLinks,
      number: pager?.number,
      pageCount: pager?.pageCount,
    };
  }

  const icon = () => theme.render(ICON, { site, ...helpers, helpers: ofPlugins });
  return { theme, key, plan, render, files: new Map([[ICON, icon], ...theme.files]) };
}

/** The functions that plugins have for templates, by their names. */
type HelpersOfPlugins = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The helpers of plugins; an error of one names it. */
function helpersOf(additions: SiteOptions['additions']): HelpersOfPlugins {
  const named = [...(additions?.helpers ?? [])].map(([name, { plugin, help }]) => [
    name,
    (...args: never[]) => {
      try {
        return asPlugin(plugin, () => help(...args));
      } catch (error) {
        throw new Error(`helper ${name} of plugin ${plugin} failed: ${messageOf(error)}`, { cause: error });
      }
    },
  ]);
  return Object.fromEntries(named);
}

/** Changes where the same files of articles are parsed in another way: an article whose file has no URL gets one. */
export function parseKeyOf({ layout }: ContentFolder): string {
  return `${FORMAT} ${layout.url('slug', '2001-02-03T04:05:06Z')}`;
}

/** What templates get of a page that the owner wrote, whatever else is known of it. */
function shownPage({ title, description, html, toc, extra }: StandalonePage): StandalonePage {
  return { title, description, html, toc, extra };
}

/** What no filter of the context may lose (contract: `json_ld` and the item comment stay in the page). */
function keepVerbatim(context: PageContext, { article }: Page): PageContext {
  if (article === null) return context;
  const html = keepItemComments(context.article?.html ?? '', article.html);
  return { ...context, article: { ...article, ...context.article, html, jsonLd: article.jsonLd } };
}

/** A page with those item comments put back that a filter such as a minifier has dropped. */
function keepComments(html: string, original: string): string {
  const kept = new Set(itemComments(html));
  const lost = itemComments(original).filter((comment) => !kept.has(comment));
  if (lost.length === 0) return html;
  const end = html.lastIndexOf('</body>');
  const at = end === -1 ? html.length : end;
  return `${html.slice(0, at)}${lost.join('\n')}\n${html.slice(at)}`;
}
