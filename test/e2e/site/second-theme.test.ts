import test from 'ava';
import { openBrowser } from '../browser.js';
import { lookAt, NO_FAULTS } from '../look.js';
import { MAGAZINE, PAGES, sharedSite } from './demo-site.js';

const site = sharedSite(test, MAGAZINE);

/** The kinds of page that the theme makes in another way than the built-in one. */
const KINDS = ['home', 'article', 'article with everything', 'archive', 'tag', 'search'] as const;

for (const { scheme, width, axe, kinds } of [
  { scheme: 'light', width: 1280, axe: 'contrast', kinds: ['home', 'article with everything', 'tags'] },
  { scheme: 'dark', width: 390, axe: 'all', kinds: KINDS },
] as const) {
  test(`${kinds.length} kinds of page of the magazine theme, ${scheme}, ${width} pixels wide: accessible, still, quiet, and as wide as the screen`, async (t) => {
    const browser = await openBrowser(t, { colorScheme: scheme, width, height: 3000 });
    for (const kind of kinds)
      t.deepEqual(await lookAt(browser, `${site().origin}${PAGES[kind]}`, { axe }), NO_FAULTS, kind);
  });
}
