import test from 'ava';
import { openBrowser } from '../browser.js';
import { NO_FAULTS, viewer } from '../look.js';
import { MAGAZINE, PAGES, sharedSite } from './demo-site.js';

const site = sharedSite(test, MAGAZINE);

/** The kinds of page that the theme makes in another way than the built-in one. */
const KINDS = ['home', 'article', 'article with everything', 'archive', 'tag', 'search'] as const;

test(`${KINDS.length} kinds of page of the magazine theme: accessible, still, quiet, and as wide as the screen`, async (t) => {
  const look = await viewer(await openBrowser(t, { width: 390, height: 3000 }));
  for (const kind of KINDS) t.deepEqual(await look(`${site().origin}${PAGES[kind]}`, true), NO_FAULTS, kind);
});
