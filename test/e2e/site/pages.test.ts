import test from 'ava';
import type { Page } from 'playwright-core';
import { openBrowser, untilTrue } from '../browser.js';
import { NO_FAULTS, viewer } from '../look.js';
import { PAGES, sharedSite } from './demo-site.js';

const SCREENS = { phone: 390, desktop: 1280 };

const site = sharedSite(test);

for (const [screen, kinds, isExamined] of [
  ['phone', Object.keys(PAGES) as (keyof typeof PAGES)[], true],
  // What axe-core looks for does not depend on the width, but for boxes that scroll on a phone.
  ['desktop', ['home', 'article with everything'], false],
] as const)
  test(`${kinds.length} kinds of page on a ${screen}: accessible, still, quiet, and as wide as the screen`, async (t) => {
    // So high that the whole page is in sight: what moves elsewhere does not count as moving.
    const look = await viewer(await openBrowser(t, { width: SCREENS[screen], height: 3000 }));
    for (const kind of kinds)
      t.deepEqual(await look(`${site().origin}${PAGES[kind]}`, isExamined), NO_FAULTS, kind);
  });

test('a picture that does not say its size stands in its own proportions, and is not enlarged', async (t) => {
  for (const width of Object.values(SCREENS)) {
    const page = await (await openBrowser(t, { width })).newPage();
    await page.goto(`${site().origin}${PAGES['article with everything']}`);
    // What is far below loads when it is near.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await untilTrue(page, `${UNSIZED}.every(({ naturalWidth }) => naturalWidth > 0)`);
    const pictures = await page.evaluate<{ own: number; shown: number; scale: number }[]>(PROPORTIONS);
    t.is(pictures.length, 2);
    for (const { own, shown, scale } of pictures) {
      t.true(Math.abs(own - shown) < 0.01, `${own} is shown as ${shown}`);
      t.true(scale <= 1, `enlarged ${scale} times`);
    }
  }
});

/** The pictures without a size. */
const UNSIZED = "[...document.querySelectorAll('.content img:not([width], [hidden])')]";

/** Of each of them, its own proportions, and those of its box. */
const PROPORTIONS = `${UNSIZED}.map((image) => {
  const { width, height } = image.getBoundingClientRect();
  return { own: image.naturalWidth / image.naturalHeight, shown: width / height, scale: width / image.naturalWidth };
})`;

test('without JavaScript everything can be read', async (t) => {
  const { origin } = site();
  const browser = await openBrowser(t, { width: 390, javaScript: false });
  const page = await browser.newPage();
  for (const kind of ['home', 'article with everything', 'archive'] as const) {
    await page.goto(`${origin}${PAGES[kind]}`);
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

/**
 * What can be used on a page, and must be reached: links, what opens, players, and boxes that scroll. A heading's link to
 * itself is for the mouse: the table of contents leads to headings, too.
 */
const USABLE = `[...document.querySelectorAll('a[href]:not(.heading-link), button, input, summary, video[controls], .content :is(table, pre)')]
  .filter((element) => element.checkVisibility())
  .filter((element) => !element.matches('table, pre') || element.scrollWidth > element.clientWidth)`;

/** Notes what gets the focus; `isOver` when it has gone round. */
const ROUND = `window.round = { usable: new Set(${USABLE}), ringless: [], isOver: false };
addEventListener('focusin', ({ target }) => {
  round.isOver ||= target === round.first;
  round.first ??= target;
  round.usable.delete(target);
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  const hasRing = (outlineStyle !== 'none' && outlineWidth !== '0px') || /^(?:video|iframe)$/i.test(target.tagName);
  if (!hasRing) round.ringless.push(target.outerHTML.slice(0, 80));
});`;

/** Holds the tab key until the focus has gone round. @returns which of USABLE never had it, and what had no ring. */
async function goRound(page: Page): Promise<{ missed: string[]; ringless: string[] }> {
  await page.evaluate(ROUND);
  for (let presses = 0; presses < 300 && !(await page.evaluate<boolean>('round.isOver')); presses += 10)
    await Promise.all(Array.from({ length: 10 }, () => page.keyboard.down('Tab')));
  await page.keyboard.up('Tab');
  return page.evaluate(
    '({ missed: [...round.usable].map((one) => one.outerHTML.slice(0, 80)), ringless: round.ringless })',
  );
}

test('everything on a page can be reached with the tab key, and is seen to be', async (t) => {
  const browser = await openBrowser(t, { width: 390 });
  const page = await browser.newPage();
  // The other lists have the same links as the archive.
  for (const kind of ['home', 'article with everything', 'archive', 'what was found'] as const) {
    await page.goto(`${site().origin}${PAGES[kind]}`);
    if (kind === 'what was found') await page.locator('#found li').first().waitFor();
    t.deepEqual(await goRound(page), { missed: [], ringless: [] }, kind);
  }
});

test('the first tab offers to skip to the content', async (t) => {
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  await page.goto(`${site().origin}${PAGES.article}`);
  const skip = page.locator('.skip');
  t.true(((await skip.boundingBox())?.y ?? 0) < 0, 'out of sight');
  await page.keyboard.press('Tab');
  t.true(((await skip.boundingBox())?.y ?? -1) >= 0, 'in sight');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === '#content');
  await page.keyboard.press('Tab');
  t.is(await page.evaluate("document.activeElement.closest('main') !== null"), true);
});

test('a wide table is scrolled with the arrow keys, and is still a table', async (t) => {
  const browser = await openBrowser(t, { width: 390 });
  const page = await browser.newPage();
  await page.goto(`${site().origin}${PAGES['article with everything']}`);
  const table = page.getByRole('table', { name: 'Deliveries of a week' });
  await table.focus();
  await page.keyboard.press('ArrowRight');
  await untilTrue(page, "document.querySelector('.content table').scrollLeft > 0");
  t.true(await page.getByRole('columnheader', { name: 'Received' }).isVisible());
  t.is(
    await page.locator('.content table').last().getAttribute('tabindex'),
    null,
    'one that fits is no stop',
  );
});

/** Every address that a page names, absolute, with its fragment. */
function addressesIn(html: string, page: string): URL[] {
  const own = html.replace(/<(script|pre|code)\b[\s\S]*?<\/\1>/g, '');
  const named = [...own.matchAll(/\s(?:href|src|poster|srcset)="([^"]*)"/g)].map(
    ([, address = '']) => address,
  );
  return named.map((address) => new URL(address.replaceAll('&amp;', '&'), page));
}

test('every link of the site leads somewhere, and every fragment to an element', async (t) => {
  const { origin } = site();
  const texts = new Map<string, string>();
  const queue = [`${origin}${PAGES.home}`, `${origin}/sitemap.xml`, `${origin}${PAGES['not found']}`];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    if (texts.has(url)) continue;
    // A connection that is kept may have been closed while this process was busy.
    const response = await fetch(url, { headers: { Connection: 'close' } });
    const text = await response.text();
    texts.set(url, text);
    t.is(response.status, url.endsWith(PAGES['not found']) ? 404 : 200, url);
    if (!/html|xml/.test(response.headers.get('content-type') ?? '')) continue;
    const inXml = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => new URL(address));
    for (const address of [...addressesIn(text, url), ...inXml]) {
      if (address.origin !== origin) continue;
      const { hash } = address;
      address.hash = '';
      queue.push(address.href);
      if (hash !== '' && address.href === url)
        t.true(text.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${url}${hash}`);
    }
  }
  const found = (path: string) => texts.has(`${origin}${path}`);
  for (const path of Object.values(PAGES)) t.true(found(path.replace(/\?.*/, '')), path);
  for (const path of ['/feed.xml', '/rss.xml', '/feed.json', '/favicon.svg']) t.true(found(path), path);
  t.true([...texts.keys()].some((url) => /\/assets\/style\.[0-9a-f]{8}\.css$/.test(url)));
});
