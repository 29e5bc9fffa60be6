// Makes the pictures of the README: `npm run screenshots`.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BrowserOptions, openBrowser } from './browser.js';
import { demoSite, PAGES } from './demo-site.js';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const SCREENS: Record<string, BrowserOptions> = {
  light: { width: 1100, height: 1200 },
  dark: { width: 1100, height: 1200, colorScheme: 'dark' },
  phone: { width: 390, height: 844, scale: 2 },
};

/** All pictures that are loaded can be painted. */
const DECODED =
  'Promise.all([...document.images].filter((image) => image.complete).map((image) => image.decode()))';

const disposers: (() => unknown)[] = [];
const t = { teardown: (dispose: () => unknown) => disposers.unshift(dispose) };
const { origin } = await demoSite(t);
mkdirSync(FOLDER, { recursive: true });
for (const [name, screen] of Object.entries(SCREENS)) {
  const page = await (await openBrowser(t, screen)).newPage();
  for (const kind of ['home', 'article'] as const) {
    await page.goto(`${origin}${PAGES[kind]}`, { waitUntil: 'networkidle' });
    await page.evaluate(DECODED);
    await page.screenshot({ path: `${FOLDER}${kind}-${name}.png` });
  }
}
for (const dispose of disposers) await dispose();
