// Makes the pictures of the README: `npm run screenshots`.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, PROGRAM } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { type BrowserOptions, openBrowser } from './browser.js';
import { demoSite, MAGAZINE, PAGES } from './demo-site.js';

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
const demo = await playedDemo();
const { origin } = await demoSite(t);
const magazine = await demoSite(t, MAGAZINE);
mkdirSync(FOLDER, { recursive: true });
for (const [name, screen] of Object.entries(SCREENS)) {
  for (const kind of ['home', 'article'] as const)
    await shoot(`${kind}-${name}`, `${demo}${PAGES[kind]}`, screen);
}
await shoot('contents', `${origin}${PAGES['article with everything']}`, { width: 1100, height: 780 });
await shoot('magazine-home', `${magazine.origin}/`, { width: 1280, height: 1100 });
for (const dispose of disposers) await dispose();

/** Runs `pressmark demo`, whose site the pictures of the README show. @returns the origin of the site. */
async function playedDemo(): Promise<string> {
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

async function shoot(name: string, url: string, screen: BrowserOptions): Promise<void> {
  const page = await (await openBrowser(t, screen)).newPage();
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.evaluate(DECODED);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
}
