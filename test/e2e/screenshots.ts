// Makes the pictures of the README and of docs/admin.md: `npm run screenshots`.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { adminOf } from '../support/admin.js';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, PROGRAM } from '../support/receiver.js';
import { type Teardown, withTeardown } from '../support/teardown.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { type BrowserOptions, openBrowser } from './browser.js';
import { demoSite, MAGAZINE, PAGES } from './site/demo-site.js';

const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const SCREENS: Record<string, BrowserOptions> = {
  light: { width: 1100, height: 1200 },
  dark: { width: 1100, height: 1200, colorScheme: 'dark' },
  phone: { width: 390, height: 844, scale: 2 },
};

/** All pictures that are loaded can be painted. */
const DECODED =
  'Promise.all([...document.images].filter((image) => image.complete).map((image) => image.decode()))';

await withTeardown(async (t) => {
  const demo = await playedDemo(t);
  const site = await demoSite(t);
  const { origin } = site;
  const magazine = await demoSite(t, MAGAZINE);
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, screen] of Object.entries(SCREENS)) {
    for (const kind of ['home', 'article'] as const)
      await shoot(t, `${kind}-${name}`, `${demo}${PAGES[kind]}`, screen);
  }
  await shoot(t, 'contents', `${origin}${PAGES['article with everything']}`, { width: 1100, height: 780 });
  await shoot(t, 'magazine-home', `${magazine.origin}/`, { width: 1280, height: 1100 });
  const admin = await adminOf(site, { name: 'Ada Finch' });
  await until('doctor has looked', async () => (await admin.get('')).text.includes('Checked <time'));
  for (const [name, screen] of Object.entries({ ...SCREENS, light: { width: 1280, height: 900 } }))
    await shoot(t, `admin-overview-${name}`, `${origin}/-/admin/`, screen, admin.cookie);
});

/** Runs `pressmark demo`, whose site the pictures of the README show. @returns the origin of the site. */
async function playedDemo(t: Teardown): Promise<string> {
  const port = await freePort();
  const args = [PROGRAM, 'demo', '--port', String(port)];
  const env = { ...bareEnvironment(), TMPDIR: tempDir(t) };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until('the demo serves its site', () => said.includes('The site is served at'));
  return `http://localhost:${port}`;
}

/** @param cookie of a session. @default nobody is logged in */
async function shoot(
  t: Teardown,
  name: string,
  url: string,
  screen: BrowserOptions,
  cookie?: string,
): Promise<void> {
  const browser = await openBrowser(t, screen);
  const [cookieName = '', value = ''] = cookie?.split('=', 2) ?? [];
  if (cookie !== undefined) await browser.addCookies([{ name: cookieName, value, url }]);
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.evaluate(DECODED);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
}
