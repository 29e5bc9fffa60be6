import type { SiteInfo, SiteLink } from '../../host/page-types.js';
import { accentOf } from './accent.js';
import { directionOf, localeOf } from './locale.js';

/** What the owner says of the site; the config's `site`. */
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
  /** `#rgb` or `#rrggbb`. */
  readonly accent: string;
  readonly locale?: string | undefined;
  readonly timeZone: string;
  /** Whether there is a search page. */
  readonly search: boolean;
}

/** A logo that does not say its size stands in a square, in pixels. */
const LOGO_SIZE = 36;

/**
 * What is the same on every page of a site.
 *
 * @param url absolute, without a trailing slash.
 * @param theme the settings of the theme.
 */
export function siteInfoOf(url: string, settings: SiteSettings, theme: SiteInfo['theme'] = {}): SiteInfo {
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
    theme,
    search,
    accent: accentOf(settings.accent),
    navigation: settings.navigation ?? null,
    logo: typeof logo === 'string' ? { src: logo, width: LOGO_SIZE, height: LOGO_SIZE } : (logo ?? null),
  };
}
