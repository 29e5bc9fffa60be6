import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Page } from 'playwright-core';
import { article } from '../../support/events.js';
import { freePort } from '../../support/free-port.js';
import { startReceiver } from '../../support/receiver.js';
import { afterAll } from '../../support/teardown.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { openBrowser } from '../browser.js';

const BODIES = {
  hive: 'In winter the colony keeps a cluster, and the queen sits in the middle of it.',
  meadow: 'Clover, sainfoin and <em>borage</em> flower one after the other.',
  spring: 'The first flight is a cleansing flight; what follows is pollen.',
};

let dir: string;
let url: string;
const lasting = afterAll(test);

test.serial.before('a site of three articles below a path, with its index', async () => {
  const port = await freePort();
  dir = tempDir(lasting);
  url = `http://127.0.0.1:${port}/garden`;
  const env = { PRESSMARK_SITE_URL: url };
  const receiver = await startReceiver(lasting, { dir, port, env, args: ['--no-live'] });
  for (const [slug, body] of Object.entries(BODIES)) {
    const content_html = `<p>${body}</p>\n<p>${'Bees and more bees. '.repeat(20)}</p>`;
    await receiver.post(
      'article.published',
      article({ id: slug, slug, title: `On the ${slug}`, content_html, featured_image_url: null }),
    );
  }
  const entry = join(dir, 'public/pagefind/pagefind-entry.json');
  await until(
    'the search index holds three pages',
    () => fs.existsSync(entry) && fs.readFileSync(entry, 'utf8').includes('"page_count":3'),
  );
});

const titles = (page: Page) => page.locator('#found h2').allTextContents();

test.serial(
  'an article is found by a word of its body, by its reader’s keyboard alone, and nothing comes from elsewhere',
  async (t) => {
    const browser = await openBrowser(t);
    const page = await browser.newPage();
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) foreign.push(request.url());
    });

    const policy = (await page.goto(`${url}/`))?.headers()['content-security-policy'] ?? '';
    t.regex(policy, /script-src 'self' 'wasm-unsafe-eval' 'sha256-/);
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('borage');
    // The first letters find others, too, and find the article before the last one is typed.
    await page.waitForURL(`${url}/search/?q=borage`);
    await until('the page shows the article', async () => (await titles(page)).join() === 'On the meadow');
    t.is(await page.locator('#found mark').first().textContent(), 'borage');
    t.is(await page.locator('#search-status').textContent(), 'Results: 1');

    // What stands around the article is not looked through.
    t.true(await page.getByText('JSON Feed').isVisible());
    await page.getByRole('searchbox').fill('JSON');
    await until(
      'the page says that nothing was found',
      async () => (await page.locator('#search-status').textContent()) === 'Nothing was found for “JSON”.',
    );
    t.deepEqual(await titles(page), []);

    await page.getByRole('searchbox').fill('bees');
    await until('the page shows three articles', async () => (await titles(page)).length === 3);
    await page.getByRole('searchbox').fill('queen');
    await until('the page shows the one article', async () => (await titles(page)).join() === 'On the hive');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/articles/hive/`);
    t.is(await page.getByRole('heading', { level: 1 }).textContent(), 'On the hive');
    await page.goBack();
    await until('the page shows the one article', async () => (await titles(page)).join() === 'On the hive');
    t.deepEqual([complaints, foreign], [[], []]);
  },
);

test.serial(
  'the search says what it cannot do: without JavaScript, and while there is no index',
  async (t) => {
    const plain = await (await openBrowser(t, { javaScript: false })).newPage();
    await plain.goto(`${url}/search/`);
    const hint = plain.locator('noscript p');
    t.true(await hint.isVisible());
    t.regex((await hint.textContent()) ?? '', /needs JavaScript.*Archive/);
    t.false(await plain.getByRole('searchbox').isVisible());

    const page = await (await openBrowser(t)).newPage();
    await page.route('**/pagefind/**', (route) => route.fulfill({ status: 404, body: 'not found' }));
    await page.goto(`${url}/search/?q=queen`);
    await until('the page says that the index is not ready', async () =>
      ((await page.locator('#search-status').textContent()) ?? '').includes('not ready yet'),
    );
    await page.unrouteAll();
    await page.reload();
    await until('the page shows an article', async () => (await titles(page)).length > 0);
    t.deepEqual(await titles(page), ['On the hive']);
  },
);
