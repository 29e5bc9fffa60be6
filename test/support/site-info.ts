import type { SiteInfo } from '../../src/host/pages/page-types.js';
import { type SiteSettings, siteInfoOf } from '../../src/site/render/site-info.js';

/** The `SiteInfo` of a site with made-up settings. */
export function siteInfo(url: string, settings: Partial<SiteSettings> = {}): SiteInfo {
  return siteInfoOf(url, {
    title: 'A <site>',
    description: 'All & sundry',
    language: 'en',
    author: 'Somebody',
    accent: { light: '#93371f', dark: '#d9684a' },
    timeZone: 'UTC',
    search: false,
    toc: false,
    ...settings,
  });
}
