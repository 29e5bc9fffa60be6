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

/** The theme with one index, which renders pages. */
export interface Renderer {
  readonly theme: Theme;
  /** A key of everything that pages depend on besides the articles; if it changes, all pages may change. */
  readonly key: string;
  /**
   * Renders a page to HTML through the filters.
   *
   * @param onFailure see `Hooks.applyFilters`.
   * @throws PressmarkError TEMPLATE_FAILED, naming the template and the line; errors of `applyFilters`.
   */
  render(page: Page, onFailure?: OnFilterFailure): Promise<string>;
  /**
   * The files that pages link, and the theme's files for the top of the site, such as `favicon.ico`, which replace pages of
   * the same name.
   */
  readonly files: ReadonlyMap<string, () => string | Uint8Array>;
}

/** The icon, which every browser requests. */
const ICON = 'favicon.svg';

/** A template's name that front matter may use: a file at the top of the theme, except the frame of all pages. */
const LAYOUT = /^(?!layout$)[\w-]+$/;

const NO_LINKS: readonly PageLink[] = [];

/** Returns a function that makes a renderer with this theme for an index. */
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

  /** Prepares a text for readers: adds links to headings, and colours to code. */
  function shownText<Text extends Pick<StandalonePage, 'html' | 'toc' | 'extra'>>(text: Text) {
    const withLinks = withHeadings(text, site);
    return { ...withLinks, html: withCodeColours(withLinks.html) };
  }

  /**
   * Returns the template of a page: the one for its kind, or for articles and owner's pages the `layout` in the front matter.
   */
  function templateOf(kind: PageKind, { article, page }: PageContext): string {
    const layout = (article ?? page)?.extra.layout;
    // Many files have a `layout` for another generator, which is ignored if there is no such template.
    if (typeof layout === 'string' && LAYOUT.test(layout) && templates.has(layout)) return layout;
    return kind === 'notFound' ? 'not-found' : kind;
  }

  function cacheKey({ navigation }: Linked): string {
    const { pageSize, contentSecurityPolicy, setupKey } = options;
    // If the config has navigation links, those of pages are not shown.
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

/** Returns the variables for templates besides the context and the helpers; docs/themes.md describes them. */
function ofPage({ path, pager, tagLinks }: Page) {
  const { newer, older, number, pageCount, pageLinks = NO_LINKS } = pager ?? {};
  return { path, tagLinks, newer, older, number, pageCount, pageLinks };
}

/** Returns only the fields of an owner's page that templates get. */
function shownPage({ title, description, html, toc, extra }: StandalonePage): StandalonePage {
  return { title, description, html, toc, extra };
}

/** Restores what a filter of the context must not remove (contract: `json_ld` and the item comment stay in the page). */
function keepVerbatim(context: PageContext, { article }: Page): PageContext {
  if (article === null) return context;
  const html = keepItemComments(context.article?.html ?? '', article.html);
  return { ...context, article: { ...article, ...context.article, html, jsonLd: article.jsonLd } };
}

/** The templates of a theme. A template that does not compile fails only when it is used, so that other pages are built. */
interface Templates {
  /** Whether there is a template `<name>.eta`. */
  has(name: string): boolean;
  /** Renders the template `<name>.eta`, or the file with exactly that name. @throws PressmarkError TEMPLATE_FAILED */
  render(name: string, data: object): string;
}

function templatesOf(sources: ThemeSources): Templates {
  // `debug` keeps line numbers for messages.
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
 * Checks that a template compiles.
 *
 * @throws an Error whose first line is `<name>:<line>`, like the template engine's errors at run time.
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

/** Finds the template's line for the first line of the compiled code that is not valid JavaScript. */
function sourceLine(code: string, error: unknown): string {
  const [, line = '1'] = (error instanceof Error && /^[^\n]*:(\d+)\n/.exec(error.stack ?? '')) || [];
  const before = code.split('\n').slice(0, Number(line)).join('\n');
  return before.match(/(?<=^__eta\.line=)\d+/gm)?.at(-1) ?? '1';
}

/**
 * Makes a one-line message of an error: the innermost template and the reason, then the templates that include it, so that all
 * pages with this error have the same message. For each template on the way, the engine writes `<name>:<line>`, some lines
 * around it and an empty line.
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
