import test from 'ava';
import type { Page } from 'playwright-core';
import { openBrowser, untilTrue } from './browser.js';
import { PAGES, sharedSite } from './demo-site.js';

const site = sharedSite(test);

/**
 * What can be used on a page, and must be reached: links, what opens, players, and boxes that scroll. A heading's link to
 * itself is for the mouse: the table of contents leads to headings, too.
 */
const USABLE = `[...document.querySelectorAll('a[href]:not(.heading-link), button, input, summary, video[controls], .content :is(table, pre)')]
  .filter((element) => element.checkVisibility())
  .filter((element) => !element.matches('table, pre') || element.scrollWidth > element.clientWidth)`;

/** Presses the tab key until the focus has gone round. @returns how many of USABLE had it, and which had no ring. */
async function goRound(page: Page): Promise<{ missed: string[]; ringless: string[] }> {
  await page.evaluate(`window.usable = new Set(${USABLE})`);
  const ringless: string[] = [];
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate<{ name: string; hasRing: boolean } | null>(`(() => {
      const { activeElement: element } = document;
      window.usable.delete(element);
      if (element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: element.outerHTML.slice(0, 80), hasRing: outlineStyle !== 'none' && outlineWidth !== '0px' };
    })()`);
    if (at === null) break;
    if (!at.hasRing && !/^<(?:video|iframe)/.test(at.name)) ringless.push(at.name);
  }
  const missed = await page.evaluate<string[]>(
    '[...window.usable].map((element) => element.outerHTML.slice(0, 80))',
  );
  return { missed, ringless };
}

test('everything on a page can be reached with the tab key, and is seen to be', async (t) => {
  const browser = await openBrowser(t, { width: 390 });
  const page = await browser.newPage();
  for (const [kind, path] of Object.entries(PAGES)) {
    await page.goto(`${site().origin}${path}`);
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
