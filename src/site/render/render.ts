import { hash } from 'node:crypto';
import vm from 'node:vm';
import { Eta } from 'eta/core';
import { keepItemComments } from '../../article/article.js';
import { messageOf, PressmarkError } from '../../errors.js';
import type { OnFilterFailure } from '../../host/hooks/calls.js';
import type { Hooks } from '../../host/hooks/hooks.js';
import type { PageContext, PageKind, StandalonePage } from '../../host/pages/page-types.js';
import type { SiteOptions } from '../options.js';
import { withCodeColours } from './code-colours.js';
import { withHeadings } from './headings.js';
import { helpersFor, type Linked } from './helpers.js';
import { wordsOf } from './i18n.js';
import type { Page, PageLink } from './page.js';
import type { Theme, ThemeSources } from './theme.js';

/** How the site looks with one index: the theme, and what makes pages of it. */
export interface Renderer {
  readonly theme: Theme;
  /** Of all that pages depend on besides the articles; another key means that all pages may look different. */
  readonly key: string;
  /**
   * Renders a page to HTML through the filters.
   *
   * @param onFailure see `Hooks.applyFilters`.
   * @throws PressmarkError TEMPLATE_FAILED, naming the template and the line; what `applyFilters` throws.
   */
  render(page: Page, onFailure?: OnFilterFailure): Promise<string>;
  /**
   * The files that pages link, and what the theme has for the top of the site, such as `favicon.ico`. That stands in place
   * of a file of the site's own.
   */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
}

/** The icon, which every browser asks for. */
const ICON = 'favicon.svg';

/** What front matter may name as a template: a file at the top of the theme, and not the frame of all pages. */
const LAYOUT = /^(?!layout$)[\w-]+$/;

const NO_LINKS: readonly PageLink[] = [];

/** Renders the pages of a site with this theme, with one index after the other. */
export function renderers(theme: Theme, options: SiteOptions): (index: Linked) => Renderer {
  const { site, hooks } = options;
  const templates = templatesOf(theme.sources);
  const helpersOf = helpersFor(theme, options);

  async function render(page: Page, helpers: object, onFailure?: OnFilterFailure): Promise<string> {
    const { kind, path } = page;
    const info = { kind, path };
    const filtered: Hooks['applyFilters'] = (name, value, about) =>
      hooks.applyFilters(name, value, about, onFailure);
    let context = contextOf(page);
    if (context.article !== null && hooks.hasFilter('article.related')) {
      const related = await filtered('article.related', context.article.related, context.article);
      context = { ...context, article: { ...context.article, related } };
    }
    if (context.articles.length > 0 && hooks.hasFilter('articles.listed'))
      context = { ...context, articles: await filtered('articles.listed', context.articles, info) };
    if (hooks.hasFilter('page.context')) {
      context = keepVerbatim(await filtered('page.context', context, info), page);
    }
    if (hooks.hasFilter('page.head')) {
      context = { ...context, head: await filtered('page.head', context.head, context) };
    }
    const { article, page: written } = context;
    const text = article ?? written;
    if (text !== null && hooks.hasFilter('page.content')) {
      const html = await filtered('page.content', text.html, context);
      if (article !== null)
        context = {
          ...context,
          article: { ...article, html: keepItemComments(html, page.article?.html ?? '') },
        };
      else if (written !== null) context = { ...context, page: { ...written, html } };
    }
    const variables = { ...context, ...helpers, ...ofPage(page) };
    const html = templates.render(templateOf(kind, context), variables);
    if (!hooks.hasFilter('page.html')) return html;
    return keepItemComments(await filtered('page.html', html, info), page.article?.html ?? '');
  }

  function contextOf(page: Page): PageContext {
    const { kind, canonical, articles, tag, author } = page;
    return {
      site,
      kind,
      title: wordsOf(theme.t, page.title),
      description: wordsOf(theme.t, page.description),
      canonical,
      article: page.article && shownText(page.article),
      page: page.page === undefined ? null : shownText(shownPage(page.page)),
      articles,
      tag,
      author,
      head: '',
      extra: page.derived ?? {},
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
    if (typeof layout === 'string' && LAYOUT.test(layout) && templates.has(layout)) return layout;
    return kind === 'notFound' ? 'not-found' : kind;
  }

  function cacheKey({ navigation }: Linked): string {
    const { pageSize, contentSecurityPolicy, setupKey } = options;
    // With links of the config's own, no page shows those of pages.
    const shown = site.navigation === null ? navigation : null;
    const settings = [site, pageSize, contentSecurityPolicy, setupKey?.(), hooks.switchedOff()];
    const inputs = [theme.hash, shown, ...settings];
    return hash('sha256', JSON.stringify(inputs)).slice(0, 16);
  }

  return (linked) => {
    const helpers = helpersOf(linked);
    return {
      theme,
      key: cacheKey(linked),
      render: (page, onFailure) => render(page, helpers, onFailure),
      files: new Map([[ICON, () => templates.render(ICON, { site, ...helpers })], ...theme.files]),
    };
  };
}

/** What templates get of a page besides the context and the helpers; docs/themes.md describes it. */
function ofPage({ path, pager, tagLinks }: Page) {
  const { newer, older, number, pageCount, pageLinks = NO_LINKS } = pager ?? {};
  return { path, tagLinks, newer, older, number, pageCount, pageLinks };
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

/** The templates of a theme. A template that does not compile fails when it is used: pages that do not need it are built. */
interface Templates {
  /** Whether there is a template `<name>.eta`. */
  has(name: string): boolean;
  /** Renders the template `<name>.eta`, or the file of that very name. @throws PressmarkError TEMPLATE_FAILED */
  render(name: string, data: object): string;
}

function templatesOf(sources: ThemeSources): Templates {
  // `debug` keeps the line for messages.
  const eta = new Eta({ autoEscape: true, cache: true, debug: true });
  eta.resolvePath = (name) => {
    const plain = name.replace(/^\.?\//, '');
    return sources.has(plain) || plain.endsWith('.eta') ? plain : `${plain}.eta`;
  };
  eta.readFile = (name) => {
    const source = sources.get(name);
    if (source === undefined) throw new Error(`there is no template ${name}; add it to templates/`);
    checkSyntax(eta, name, source);
    return source;
  };

  return {
    has: (name) => sources.has(`${name}.eta`),
    render: (name, data) => {
      try {
        return eta.render(name, data);
      } catch (error) {
        throw new PressmarkError('TEMPLATE_FAILED', placeFirst(messageOf(error)), { cause: error });
      }
    },
  };
}

/**
 * Sees to it that a template can be compiled.
 *
 * @throws an Error whose first line is `<name>:<line>`, as the template engine's own are when a template runs.
 */
function checkSyntax(eta: Eta, name: string, source: string): void {
  let code: string;
  try {
    code = eta.compileToString(source);
  } catch (error) {
    const [, reason = messageOf(error), line = '1'] = /^(.*) at line (\d+)/.exec(messageOf(error)) ?? [];
    throw new Error(`${name}:${line}\n\n${reason}`, { cause: error });
  }
  try {
    new vm.Script(`(function (it, options) {${code}\n})`);
  } catch (error) {
    throw new Error(`${name}:${sourceLine(code, error)}\n\n${messageOf(error)}`, { cause: error });
  }
}

/** The template's line that stands behind the line of compiled code at which it is no JavaScript any more. */
function sourceLine(code: string, error: unknown): string {
  const [, line = '1'] = (error instanceof Error && /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')) || [];
  const before = code.split('\n').slice(0, Number(line)).join('\n');
  return before.match(/(?<=^__eta\.line=)\d+/gm)?.at(-1) ?? '1';
}

/**
 * A failure's message in one line: the innermost template and the reason, then where it is included; the same for
 * all pages that fail there. The template engine writes `<name>:<line>`, some lines around it and a blank one for
 * each template on the way.
 */
function placeFirst(message: string): string {
  const parts = message.split('\n\n');
  const isPlace = (part: string) => /^\S+:\d+(?:\n|$)/.test(part);
  const end = parts.findIndex((part) => !isPlace(part));
  const places = parts.slice(0, end === -1 ? parts.length : end).map((part) => part.split('\n', 1)[0]);
  const reason = parts.slice(places.length).join(' ').replace(/\s+/g, ' ');
  const [place, around] = places.reverse();
  if (place === undefined) return reason;
  return `template ${place}: ${reason}${around === undefined ? '' : ` (in ${around})`}`;
}
