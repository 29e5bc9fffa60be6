import type { SiteInfo, SiteLink } from '../../host/pages/page-types.js';

/** The owner's settings of the site: the config's `site`. */
export interface SiteSettings {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  readonly author: string;
  readonly navigation?: readonly SiteLink[] | undefined;
  readonly logo?:
    | string
    | { readonly src: string; readonly width: number; readonly height: number }
    | undefined;
  readonly accent: SiteInfo['accent'];
  readonly locale?: string | undefined;
  readonly timeZone: string;
  /** Whether there is a search page. */
  readonly search: boolean;
  /** The minimum number of headings for a table of contents; false for none. */
  readonly toc: number | false;
}

/** The width and height of a logo without a size, in pixels. */
const LOGO_SIZE = 36;

/** Makes the data that is the same on every page of a site. @param url absolute, without a trailing slash. */
export function siteInfoOf(url: string, settings: SiteSettings): SiteInfo {
  const { title, description, author, timeZone, search, logo } = settings;
  const language = localeOf(settings.language);
  return {
    url,
    basePath: new URL(url).pathname.replace(/\/$/, ''),
    title,
    description,
    author,
    language,
    direction: directionOf(language),
    locale: localeOf(settings.locale ?? language),
    timeZone,
    search,
    toc: settings.toc || 0,
    accent: settings.accent,
    navigation: settings.navigation ?? null,
    logo: typeof logo === 'string' ? { src: logo, width: LOGO_SIZE, height: LOGO_SIZE } : (logo ?? null),
  };
}

/** Returns the site's language as a locale for `Intl`; English if it is not a valid language tag. */
export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch (error) {
    if (error instanceof RangeError) return 'en';
    throw error;
  }
}

/** The scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set('Adlm Arab Aran Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi'.split(' '));

/** Returns the direction of a language by its script, which most language tags do not name. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script } = new Intl.Locale(language).maximize();
  return script !== undefined && RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr';
}
