import { messageOf } from '../../errors.js';
import type { ArticleSummary, SiteInfo, SiteLink } from '../../host/pages/page-types.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { SiteIndex } from '../index/site-index.js';
import type { SiteOptions } from '../options.js';
import { linkBelow, linksOf } from '../outputs/addresses.js';
import { type DateFormats, dateFormats, isoOf } from './dates.js';
import type { PhraseValues } from './i18n.js';
import type { Theme } from './theme.js';

/** What of the index all pages link: the terms, and the pages that the owner wrote. */
export type Linked = Pick<SiteIndex, 'tags' | 'authors' | 'navigation'>;

/** The articles of one year in a list. */
export interface YearOfArticles {
  readonly year: string;
  readonly articles: ArticleSummary[];
}

/** What templates get besides a page's own data: the same for every page. Documented in docs/themes.md. */
interface Helpers {
  /** A path below the site's base path, or an absolute URL, as a link. */
  url(address: string): string;
  /** The page of a tag. */
  tagLink(name: string): string;
  /** The page of an author. */
  authorLink(name: string): string;
  /** A date in words. */
  date(date: string): string;
  /** The same without the year, where that stands above. */
  monthDay(date: string): string;
  /** A date for machines; empty where it is not a date. */
  isoDate(date: string): string;
  /** A list's articles by their years, in the order of the list; what has no date is of the year ''. */
  byYear(articles: readonly ArticleSummary[]): YearOfArticles[];
  /** A phrase of the theme in the site's language. */
  t(key: string, values?: PhraseValues): string;
  /** The links of the header. */
  readonly navigation: readonly SiteLink[];
  /**
   * The link of a file of the theme, under a name that holds a hash of its content: `style.css`, or one in `assets/`.
   *
   * @throws PressmarkError TEMPLATE_FAILED where there is no such file.
   */
  asset(name: string): string;
  /** The site's first letter, for a favicon. */
  readonly initial: string;
  /** The functions of plugins, by their names. */
  readonly helpers: Readonly<Record<string, (...args: never[]) => unknown>>;
}

/** The helpers of a site with this theme, for one index after the other. */
export function helpersFor(
  theme: Theme,
  { site, additions }: Pick<SiteOptions, 'site' | 'additions'>,
): (index: Linked) => Helpers {
  const ofPlugins = helpersOfPlugins(additions);
  const dates = dateFormats(site);
  return (index) => helpersOf(theme, site, dates, index, ofPlugins);
}

function helpersOf(
  theme: Theme,
  site: SiteInfo,
  { day, monthDay, year }: DateFormats,
  { tags, authors, navigation: pages }: Linked,
  helpers: Helpers['helpers'],
): Helpers {
  const url = linksOf(site);
  let navigation: readonly SiteLink[] | undefined;

  return {
    helpers,
    url,
    tagLink: (name) => linkBelow(tags.get(name)?.address ?? '/tags/', site),
    authorLink: (name) => linkBelow(authors.get(name)?.address ?? '/archive/', site),
    date: day,
    monthDay,
    isoDate: (date) => isoOf(date) ?? '',
    byYear: (articles) => byYear(articles, year),
    t: theme.t,
    get navigation() {
      // When it is asked for: a word that is missing fails the pages, not the start.
      navigation ??= (site.navigation ?? builtInLinks()).map(({ label, href }) => ({
        label,
        href: url(href),
      }));
      return navigation;
    },
    asset: (name) => linkBelow(`/${theme.hashed(name)}`, site),
    initial: initialOf(site),
  };

  function builtInLinks(): SiteLink[] {
    return [
      { label: theme.t('archive'), href: '/archive/' },
      { label: theme.t('tags'), href: '/tags/' },
      ...pages,
      ...(site.search ? [{ label: theme.t('search'), href: '/search/' }] : []),
    ];
  }
}

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

/** The first letter as a reader counts it, whatever it is made of. */
function initialOf({ title, locale }: SiteInfo): string {
  const [first] = new Intl.Segmenter(locale).segment(title.trim());
  return (first?.segment ?? '').toLocaleUpperCase(locale);
}

/** The functions of plugins; an error of one names it. */
function helpersOfPlugins(additions: SiteOptions['additions']): Helpers['helpers'] {
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
