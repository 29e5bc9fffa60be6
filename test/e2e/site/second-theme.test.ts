import test from 'ava';
import { openBrowser } from '../browser.js';
import { lookAt, NO_FAULTS } from '../look.js';
import { MAGAZINE, PAGES, sharedSite } from './demo-site.js';
import { complaintsOf, RULES } from './xml.js';

const site = sharedSite(test, MAGAZINE);

const ALL_PAGES = { ...PAGES, 'older page': '/archive/page/1/' };

for (const { scheme, width, axe, kinds } of [
  { scheme: 'light', width: 1280, axe: 'contrast', kinds: ['home', 'article with everything', 'tags'] },
  { scheme: 'dark', width: 390, axe: 'all', kinds: Object.keys(ALL_PAGES) },
] as const) {
  test(`${kinds.length} kinds of page of the magazine theme, ${scheme}, ${width} pixels wide: accessible, still, quiet, and as wide as the screen`, async (t) => {
    const browser = await openBrowser(t, { colorScheme: scheme, width, height: 3000 });
    for (const kind of kinds) {
      const path = ALL_PAGES[kind as keyof typeof ALL_PAGES];
      t.deepEqual(await lookAt(browser, `${site().origin}${path}`, { axe }), NO_FAULTS, kind);
    }
  });
}

test('feeds, sitemap and favicon of the magazine theme are valid', async (t) => {
  for (const [file, how] of Object.entries(RULES)) {
    const text = await (await fetch(`${site().origin}/${file}`)).text();
    t.is(complaintsOf(text, ...how), '', file);
  }
});
