import { messageOf } from '../../errors.js';
import type { ArticleSummary, SiteInfo, SiteLink } from '../../host/pages/page-types.js';
import { asPlugin } from '../../host/plugin-code.js';
import { linkBelow, linksOf } from '../index/addresses.js';
import { dateFormats, isoOf } from '../index/dates.js';
import type { SiteIndex } from '../index/site-index.js';
import type { SiteOptions } from '../options.js';
import type { Theme } from './theme.js';

/** The parts of the index that all pages link: the terms, and the owner's pages. */
export type Linked = Pick<SiteIndex, 'tags' | 'authors' | 'navigation'>;

/** The articles of one year in a list. */
interface YearOfArticles {
  readonly year: string;
  readonly articles: ArticleSummary[];
}

/**
 * Returns a function that makes templates' helpers for an index: values and functions that are the same for every page.
 * docs/themes.md describes them.
 */
export function helpersFor(theme: Theme, { site, additions }: Pick<SiteOptions, 'site' | 'additions'>) {
  const { day, monthDay, year } = dateFormats(site);
  const url = linksOf(site);
  const ofSite = {
    url,
    date: day,
    monthDay,
    isoDate: (date: string) => isoOf(date) ?? '',
    byYear: (articles: readonly ArticleSummary[]) => byYear(articles, year),
    t: theme.t,
    asset: (name: string) => linkBelow(`/${theme.hashed(name)}`, site),
    initial: initialOf(site),
    helpers: helpersOfPlugins(additions),
  };

  return ({ tags, authors, navigation: pages }: Linked) => {
    let navigation: readonly SiteLink[] | undefined;
    return {
      ...ofSite,
      tagLink: (name: string) => linkBelow(tags.get(name)?.address ?? '/tags/', site),
      authorLink: (name: string) => linkBelow(authors.get(name)?.address ?? '/archive/', site),
      get navigation() {
        // Made on demand, so that a missing word fails the pages, not the start.
        navigation ??= (site.navigation ?? builtInLinks(pages)).map(({ label, href }) => ({
          label,
          href: url(href),
        }));
        return navigation;
      },
    };
  };

  function builtInLinks(pages: readonly SiteLink[]): SiteLink[] {
    return [
      { label: theme.t('archive'), href: '/archive/' },
      { label: theme.t('tags'), href: '/tags/' },
      ...pages,
      ...(site.search ? [{ label: theme.t('search'), href: '/search/' }] : []),
    ];
  }
}

/** Groups a list's articles by year, in the order of the list; articles without a date have the year ''. */
function byYear(articles: readonly ArticleSummary[], yearOf: (date: string) => string): YearOfArticles[] {
  const years: YearOfArticles[] = [];
  for (const article of articles) {
    const year = yearOf(article.date);
    const last = years.at(-1);
    if (last?.year === year) last.articles.push(article);
    else years.push({ year, articles: [article] });
  }
  return years;
}

/** Returns the first grapheme of the site's title in upper case. */
function initialOf({ title, locale }: SiteInfo): string {
  const [first] = new Intl.Segmenter(locale).segment(title.trim());
  return (first?.segment ?? '').toLocaleUpperCase(locale);
}

/** Plugins' functions for templates, by name. */
type HelpersOfPlugins = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Wraps plugins' functions, so that an error names the plugin. */
function helpersOfPlugins(additions: SiteOptions['additions']): HelpersOfPlugins {
  const named = [...additions.helpers].map(([name, { plugin, help }]) => [
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
