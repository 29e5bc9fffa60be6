import test from 'ava';
import { ask } from '../../support/ask.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';
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

test('on an English site, the text of an Arabic article runs from right to left, and its byline does not', async (t) => {
  const { origin, post } = await startReceiver(t, { args: ['--no-live'] });
  const text = '<h2>العنوان</h2><p>ملاحظات عن الكتب والرفوف.</p><blockquote>المكان أولا.</blockquote>';
  const arabic = {
    id: 'ar-1',
    slug: 'books',
    title: 'عن الكتب',
    meta_description: 'ملاحظات.',
    tags: ['كتب'],
    author: 'ليلى',
  };
  const sent = { ...arabic, content_markdown: '', content_html: text, featured_image_url: null };
  await post('article.published', article(sent));
  const browser = await openBrowser(t, { width: 390 });
  for (const path of ['/articles/books/', '/']) {
    await until(`${path} has it`, async () => (await ask(origin, path)).text.includes(arabic.title));
    t.deepEqual(await lookAt(browser, `${origin}${path}`, { axe: 'none' }), NO_FAULTS, path);
  }
  const page = await browser.newPage();
  const directions = (...selectors: string[]) =>
    page.evaluate<string[]>(
      `${JSON.stringify(selectors)}.map((one) => getComputedStyle(document.querySelector(one)).direction)`,
    );
  await page.goto(`${origin}/articles/books/`);
  t.is(await page.getAttribute('html', 'dir'), 'ltr');
  t.deepEqual(await directions('h1', '.lede', '.content p', 'blockquote'), ['rtl', 'rtl', 'rtl', 'rtl']);
  t.deepEqual(await directions('.byline', 'header.site'), ['ltr', 'ltr']);
  await page.goto(`${origin}/`);
  const link = 'h2:has(a[href$="/books/"])';
  t.deepEqual(await directions(link, 'header.site'), ['rtl', 'ltr']);
  const dots = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.entries div > *')].filter((one) => getComputedStyle(one, '::after').visibility === 'visible').map((one) => getComputedStyle(one).direction)`,
  );
  t.deepEqual(dots, ['ltr', 'ltr', 'ltr'], 'the dot behind an Arabic tag and name stands behind it');
});
