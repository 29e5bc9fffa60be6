import test from 'ava';
import { openBrowser } from './browser.js';
import { demoSite } from './demo-site.js';

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

for (const [scheme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const) {
  test(`pages in a browser, ${scheme}, ${width} wide: readable, complete, quiet`, async (t) => {
    const receiver = await demoSite(t);
    const browser = await openBrowser(scheme, width, 900);
    t.teardown(() => browser.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(receiver.origin)) foreign.push(request.url());
    });

    for (const path of [
      '/',
      '/articles/what-a-pressmark-is/',
      '/articles/why-the-answer-comes-last/',
      '/tags/',
      '/tags/webhooks/',
      '/nowhere/',
    ]) {
      const response = await page.goto(`${receiver.origin}${path}`);
      t.is(response?.status(), path === '/nowhere/' ? 404 : 200, path);
      t.is((await page.locator('h1, h2').count()) > 0, true, path);
      const overflow = await page.evaluate<number>(OVERFLOW);
      t.true(overflow <= 0, `${path} scrolls sideways by ${overflow}`);
    }
    // The browser itself asks for a favicon and says so where there is none; and the 404 was asked for.
    t.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    );
    t.deepEqual(foreign, []);
  });
}

test('a page as a browser sees it: JSON-LD in the head, the item comment in the page, home leads to every article', async (t) => {
  const receiver = await demoSite(t);
  const browser = await openBrowser('light', 1280, 900);
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  await page.goto(receiver.origin);
  await page.getByRole('link', { name: 'What a pressmark is' }).first().click();
  t.is(await page.title().then((title) => title.includes('What a pressmark is')), true);
  t.is(await page.locator('head script[type="application/ld+json"]').count(), 1);
  t.true((await page.content()).includes('<!-- svc:item:demo-1 -->'));
  t.is(
    await page.locator('link[rel="canonical"]').getAttribute('href'),
    `${receiver.origin}/articles/what-a-pressmark-is/`,
  );
  t.true(await page.getByRole('heading', { level: 1 }).isVisible());
});
