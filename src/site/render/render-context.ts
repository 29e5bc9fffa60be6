import { hash } from 'node:crypto';
import type { Hooks } from '../../host/hooks.js';
import type { SiteInfo } from '../../host/page-types.js';
import type { ContentFolder } from '../../store/entry.js';
import type { SiteOptions } from '../options.js';
import { createHelpers, type Linked } from './helpers.js';
import { createRenderer, type Page } from './page.js';
import { loadTheme, type Theme } from './theme.js';

/** How the site looks now: the theme, and what makes pages of it. */
export interface RenderContext {
  readonly theme: Theme;
  /** Of all that pages depend on beside the articles; another key means that all pages may look different. */
  readonly key: string;
  render(page: Page): Promise<string>;
  /** Renders a template that is no page. */
  renderFile(template: string): string;
}

/** Changes with the generator, where the same articles and templates make other pages. */
const FORMAT = 3;

/**
 * Reads the theme.
 *
 * @param linked the groups that pages link to.
 * @param further what else pages depend on.
 */
export function createRenderContext(
  templatesDir: string,
  site: SiteInfo,
  hooks: Hooks,
  linked: Linked,
  further: readonly unknown[],
): RenderContext {
  const theme = loadTheme(templatesDir, site);
  const helpers = createHelpers(site, theme, linked);
  const key = hash('sha256', JSON.stringify([FORMAT, theme.digest, site, ...further])).slice(0, 16);
  return {
    theme,
    key,
    render: createRenderer(site, theme, hooks, helpers),
    renderFile: (name) => theme.render(name, { site, ...helpers }),
  };
}

/** Reads the theme of a site that is built in earnest. */
export function contextFor(options: SiteOptions, linked: Linked): RenderContext {
  const { templatesDir, site, hooks, content, pageSize, fingerprint } = options;
  return createRenderContext(templatesDir, site, hooks, linked, [
    pageSize ?? null,
    readingOf(content),
    fingerprint ?? '',
  ]);
}

/** What is read in an article's file depends on this beside the file: where it says no URL it gets one. */
export function readingOf({ layout }: ContentFolder): string {
  return `${FORMAT} ${layout.url('slug', '2001-02-03T04:05:06Z')}`;
}
