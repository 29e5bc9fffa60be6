// Makes the pictures of the README: `npm run screenshots`.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.js';
import { demoSite } from './demo-site.js';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const disposers: (() => unknown)[] = [];
const { origin } = await demoSite({ teardown: (dispose) => disposers.push(dispose) });
mkdirSync(FOLDER, { recursive: true });
for (const scheme of ['light', 'dark'] as const) {
  const browser = await openBrowser(scheme, 1000, 760);
  const page = await browser.newPage();
  await page.goto(`${origin}/articles/why-the-answer-comes-last/`);
  await page.screenshot({ path: `${FOLDER}article-${scheme}.png` });
  await browser.close();
}
for (const dispose of disposers.reverse()) await dispose();
