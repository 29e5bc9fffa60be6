import test from 'ava';
import { openBrowser } from '../browser.js';
import { lookAt, NO_FAULTS } from '../look.js';
import { demoSite, PAGES } from './demo-site.js';

test('an Arabic site runs from right to left, in Arabic, with the days of its time zone', async (t) => {
  const site = {
    title: 'غرفة القراءة',
    description: 'ملاحظات عن الكتب والرفوف.',
    language: 'ar',
    timeZone: 'Asia/Riyadh',
  };
  const { origin } = await demoSite(t, { site, text: (words) => `مقالة: ${words}` });
  const browser = await openBrowser(t, { width: 390 });
  for (const kind of ['home', 'article with everything', 'archive', 'tag', 'search'] as const) {
    const axe = kind === 'home' || kind === 'article with everything' ? 'all' : 'none';
    t.deepEqual(await lookAt(browser, `${origin}${PAGES[kind]}`, { axe }), NO_FAULTS, kind);
  }

  const page = await browser.newPage();
  await page.goto(`${origin}${PAGES['article with everything']}`);
  const edge = (selector: string, side: 'left' | 'right') =>
    page.evaluate<number>(
      `Math.round(document.querySelector('${selector}').getBoundingClientRect().${side})`,
    );
  t.is(await page.getAttribute('html', 'dir'), 'rtl');
  t.is(await page.getAttribute('html', 'lang'), 'ar');
  t.is(await edge('header.site .name', 'right'), await edge('main', 'right'), 'the name stands right');
  t.true((await edge('header.site nav', 'left')) < (await edge('header.site .name', 'left')));
  t.is(
    await page.evaluate("getComputedStyle(document.querySelector('blockquote')).borderLeftWidth"),
    '3px',
    'the text is English',
  );
  t.is(await page.evaluate("getComputedStyle(document.querySelector('pre')).direction"), 'ltr');
  t.true(await page.getByRole('link', { name: 'الأرشيف' }).isVisible());
  t.regex((await page.locator('.byline').textContent()) ?? '', /نوفمبر/);
});
