import test from 'ava';
import { openBrowser } from './browser.js';
import { PAGES, sharedSite } from './demo-site.js';
import { lookAt, NO_FAULTS } from './look.js';

const SCREENS = { phone: 390, desktop: 1280 };

const site = sharedSite(test);

/** Dark pages have other colours, and the same boxes as light ones: one screen shows them all. */
const SCHEMES = [
  { scheme: 'light', screens: Object.keys(SCREENS) },
  { scheme: 'dark', screens: ['phone'] },
] as const;

for (const { scheme, screens } of SCHEMES) {
  test(`every kind of page, ${scheme}, on ${screens.join(', ')}: accessible, still, quiet, and as wide as the screen`, async (t) => {
    const { origin } = site();
    for (const [screen, width] of Object.entries(SCREENS).filter(([name]) =>
      screens.some((one) => one === name),
    )) {
      // So high that the whole page is in sight: what moves elsewhere does not count as moving.
      const browser = await openBrowser(t, { colorScheme: scheme, width, height: 3000 });
      // What axe-core looks for does not depend on the width, but for boxes that scroll: those do on a phone.
      for (const [kind, path] of Object.entries(PAGES))
        t.deepEqual(
          await lookAt(browser, `${origin}${path}`, { axe: screen === 'phone' }),
          NO_FAULTS,
          `${kind} on a ${screen}`,
        );
    }
  });
}

test('a picture that does not say its size stands in its own proportions, and is not enlarged', async (t) => {
  for (const width of Object.values(SCREENS)) {
    const page = await (await openBrowser(t, { width })).newPage();
    await page.goto(`${site().origin}${PAGES['article with everything']}`, { waitUntil: 'networkidle' });
    const pictures = await page.evaluate<{ own: number; shown: number; scale: number }[]>(PROPORTIONS);
    t.is(pictures.length, 2);
    for (const { own, shown, scale } of pictures) {
      t.true(Math.abs(own - shown) < 0.01, `${own} is shown as ${shown}`);
      t.true(scale <= 1, `enlarged ${scale} times`);
    }
  }
});

/** Of each picture without a size, its own proportions, and those of its box. */
const PROPORTIONS = `[...document.querySelectorAll('.content img:not([width], [hidden])')].map((image) => {
  const { width, height } = image.getBoundingClientRect();
  return { own: image.naturalWidth / image.naturalHeight, shown: width / height, scale: width / image.naturalWidth };
})`;

test('what is wrong with a page is found', async (t) => {
  const browser = await openBrowser(t);
  const page = `<!doctype html><title>x</title><p style="width: 3000px">Wide</p><img src="http://other.invalid/x.png">
    <script>console.error('no'); addEventListener('load', () => document.body.prepend(document.createElement('h1'), 'Pushed', document.createElement('hr')));
    throw new Error('thrown')</script>`;
  const faults = await lookAt(browser, `data:text/html,${encodeURIComponent(page)}`);
  t.true(faults.complaints.some((text) => text === 'no') && faults.complaints.includes('thrown'));
  t.deepEqual(faults.foreign, ['http://other.invalid/x.png']);
  t.true(faults.overflow > 0 && faults.narrowOverflow > 0 && faults.layoutShift > 0);
  t.true(faults.axe.some((text) => text.startsWith('image-alt')));
});

test('without JavaScript everything can be read', async (t) => {
  const { origin } = site();
  const browser = await openBrowser(t, { width: 390, javaScript: false });
  const page = await browser.newPage();
  for (const [kind, path] of Object.entries(PAGES)) {
    await page.goto(`${origin}${path}`);
    t.true(await page.locator('h1').isVisible(), kind);
    t.true(((await page.locator('main').innerText()) ?? '').length > 20, kind);
  }
});

test('a button switches between light and dark, and the choice is kept', async (t) => {
  const { origin } = site();
  const page = await (await openBrowser(t)).newPage();
  const paper = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  await page.goto(origin);
  const light = await paper();
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  const dark = await paper();
  t.not(dark, light);
  await page.goto(`${origin}${PAGES.archive}`);
  t.is(await paper(), dark);
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  t.is(await paper(), light);
});

test('on paper there is the article, and none of what leads away from it', async (t) => {
  const { origin } = site();
  const browser = await openBrowser(t, { colorScheme: 'dark', width: 800 });
  const page = await browser.newPage();
  await page.goto(`${origin}${PAGES.article}`);
  await page.emulateMedia({ media: 'print' });
  t.true(await page.locator('h1').isVisible());
  t.true(await page.locator('.content').isVisible());
  for (const part of ['header.site nav', '.neighbours', '.skip', 'footer.site nav'])
    t.false(await page.locator(part).isVisible(), part);
  t.is(
    await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
    'rgb(255, 255, 255)',
  );
  t.is(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(0, 0, 0)');
});

test('a page as a browser sees it: JSON-LD in the head, the item comment in the page, home leads to every article', async (t) => {
  const { origin } = site();
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  await page.goto(origin);
  await page.getByRole('link', { name: 'What a pressmark is' }).click();
  t.true((await page.title()).includes('What a pressmark is'));
  t.is(await page.locator('head script[type="application/ld+json"]').count(), 1);
  t.true((await page.content()).includes('<!-- svc:item:demo-1 -->'));
  t.is(await page.locator('link[rel="canonical"]').getAttribute('href'), `${origin}${PAGES.article}`);
  t.true(await page.getByRole('heading', { level: 1 }).isVisible());
});
