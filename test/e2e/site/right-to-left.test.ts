import test from 'ava';
import { openBrowser } from '../browser.js';
import { NO_FAULTS, viewer } from '../look.js';
import { demoSite, PAGES, sharedSite } from './demo-site.js';

test('an Arabic site runs from right to left, in Arabic, with the days of its time zone', async (t) => {
  const site = {
    title: 'غرفة القراءة',
    description: 'ملاحظات عن الكتب والرفوف.',
    language: 'ar',
    timeZone: 'Asia/Riyadh',
  };
  const { origin } = await demoSite(t, { site, text: (words) => `مقالة: ${words}` });
  const browser = await openBrowser(t, { width: 390 });
  const look = await viewer(browser);
  // That it runs the other way changes nothing of what axe-core looks for: one kind shows that the language is said.
  for (const kind of ['home', 'article with everything', 'archive', 'tag', 'search'] as const)
    t.deepEqual(await look(`${origin}${PAGES[kind]}`, kind === 'home'), NO_FAULTS, kind);

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

const english = sharedSite(test);

test('on an English site, the text of an Arabic article runs from right to left, and its byline does not', async (t) => {
  const page = await (await openBrowser(t, { width: 390 })).newPage();
  const directions = (...selectors: string[]) =>
    page.evaluate<string[]>(
      `${JSON.stringify(selectors)}.map((one) => getComputedStyle(document.querySelector(one)).direction)`,
    );
  await page.goto(`${english().origin}${PAGES['article from right to left']}`);
  t.is(await page.getAttribute('html', 'dir'), 'ltr');
  t.deepEqual(await directions('h1', '.lede', '.content p', 'blockquote'), ['rtl', 'rtl', 'rtl', 'rtl']);
  t.deepEqual(await directions('.byline', 'header.site'), ['ltr', 'ltr']);
  await page.goto(english().origin);
  const link = 'h2:has(a[href$="/books/"])';
  t.deepEqual(await directions(link, 'header.site'), ['rtl', 'ltr']);
  const dots = await page.evaluate<string[]>(
    `[...document.querySelectorAll('${link} ~ div > *')].filter((one) => getComputedStyle(one, '::after').visibility === 'visible').map((one) => getComputedStyle(one).direction)`,
  );
  t.deepEqual(dots, ['ltr', 'ltr', 'ltr'], 'the dot behind an Arabic tag and name stands behind it');
});
