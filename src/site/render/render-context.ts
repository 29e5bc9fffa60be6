import { hash } from 'node:crypto';
import type { Hooks } from '../../host/hooks.js';
import type { SiteInfo } from '../../host/page-types.js';
import type { ContentFolder } from '../../store/catalog/entry.js';
import { readStandalonePages, type StandalonePages } from '../index/standalone-pages.js';
import type { SiteOptions } from '../options.js';
import { createHelpers, type Linked } from './helpers.js';
import { createRenderer, type Page } from './page.js';
import { loadTheme, type Theme } from './theme.js';

/** How the site looks now: the theme, and what makes pages of it. */
export interface RenderContext {
  readonly theme: Theme;
  /** The pages that the owner wrote. */
  readonly pages: StandalonePages;
  /** Of the theme and of these pages. */
  readonly digest: string;
  /** Of all that pages depend on beside the articles; another key means that all pages may look different. */
  readonly key: string;
  render(page: Page): Promise<string>;
  /** Renders a template that is no page. */
  renderFile(template: string): string;
}

/** Changes with the generator, where the same articles and templates make other pages. */
const FORMAT = 5;

/**
 * Reads the theme.
 *
 * @param linked the terms that pages link to.
 * @param pages those that the owner wrote.
 * @param further what else pages depend on.
 */
export function createRenderContext(
  themeDirs: readonly string[],
  site: SiteInfo,
  hooks: Hooks,
  linked: Linked,
  pages: StandalonePages,
  further: readonly unknown[],
): RenderContext {
  const theme = loadTheme(themeDirs, site);
  const helpers = createHelpers(site, theme, linked, pages.navigation);
  const digest = hash('sha256', theme.digest + pages.digest);
  const key = hash('sha256', JSON.stringify([FORMAT, digest, site, ...further])).slice(0, 16);
  return {
    theme,
    pages,
    digest,
    key,
    render: createRenderer(site, theme, hooks, helpers),
    renderFile: (name) => theme.render(name, { site, ...helpers }),
  };
}

/** Reads the theme of a site that is built in earnest. */
export function contextFor(options: SiteOptions, linked: Linked): RenderContext {
  const { themeDirs, site, hooks, content, pageSize, fingerprint } = options;
  return createRenderContext(themeDirs, site, hooks, linked, readStandalonePages(content, options.log), [
    pageSize ?? null,
    readingOf(content),
    fingerprint ?? '',
  ]);
}

/** What is read in an article's file depends on this beside the file: where it says no URL it gets one. */
export function readingOf({ layout }: ContentFolder): string {
  return `${FORMAT} ${layout.url('slug', '2001-02-03T04:05:06Z')}`;
}
