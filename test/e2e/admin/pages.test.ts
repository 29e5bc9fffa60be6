import test from 'ava';
import { registeredPages } from '../../support/admin.js';
import { until } from '../../support/until.js';
import { openBrowser } from '../browser.js';
import { NO_FAULTS, OVERFLOW, viewer } from '../look.js';
import { deliverSome, sharedAdmin } from './shared-admin.js';

const site = sharedAdmin(test, () => ({ git: false }));

test.serial.before(() => deliverSome(site()));

/** The addresses of pages about one thing, below the admin; each page adds its own. */
const DETAILS = ['articles/article?id=item-0', 'articles/edit?id=item-0'];

const PHONE = { width: 360, height: 740 };

test.serial(
  'every page of the admin is accessible, fits and complains of nothing on wide screens and on phones',
  async (t) => {
    const { url, admin, open } = site();
    // What doctor has found is on the page as soon as it has looked.
    await until('doctor has looked', async () => (await admin.get('')).text.includes('Checked <time'));
    const look = await viewer(await open(t, PHONE));
    for (const path of [...registeredPages().map((page) => page.path), ...DETAILS])
      t.deepEqual(await look(url + path, true), NO_FAULTS, path);
    const lookAsStranger = await viewer(await openBrowser(t, PHONE));
    t.deepEqual(await lookAsStranger(`${url}login`, true), NO_FAULTS, 'login');
  },
);

test.serial('keys: ? lists them, j goes through rows', async (t) => {
  const { url, open } = site();
  const page = await (await open(t)).newPage();
  await page.goto(url);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  t.is(await page.locator(':focus').innerText(), await page.locator('table.list a').first().innerText());
});

test.serial('a list that is open follows deliveries by itself', async (t) => {
  const { open, url, publish } = site();
  const page = await (await open(t)).newPage();
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('link', { name: 'When bees sleep' }).waitFor();
  await publish('Notes from a wet May');
  await until('the new article is in the list', async () => {
    await page.clock.runFor(11_000);
    return (await page.getByRole('link', { name: 'Notes from a wet May' }).count()) > 0;
  });
  t.pass();
});

test.serial('a page with a text that is not saved is not left without a question', async (t) => {
  const { open, url } = site();
  const page = await (await open(t)).newPage();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.goto(`${url}articles/edit?id=item-0`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Typed for an hour');
  await page.getByRole('link', { name: 'Overview' }).click();
  await until('the person is asked', () => asked.length > 0);
  t.deepEqual(asked, ['beforeunload']);
  t.is(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Typed for an hour');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. The page follows.').waitFor();
  t.is(asked.length, 1, 'to save is no question');
});

test.serial(
  'long words and turned titles of a service spoil neither the list of articles nor the overview',
  async (t) => {
    const { open, url, publish } = site();
    const long = 'Donaudampfschifffahrtselektrizit\u00e4tenhauptbetriebswerkbau'.repeat(3);
    await publish(long, { id: 'long', tags: [long], author: long });
    await publish('\u202eTurned', { id: 'turned', author: 'Cy Moss' });
    const page = await (await open(t)).newPage();
    for (const path of ['', 'articles', 'articles/article?id=long']) {
      await page.goto(url + path);
      for (const width of [320, 390, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        t.is(await page.evaluate<number>(OVERFLOW), 0, `${path} at ${width}`);
      }
    }
    await page.goto(`${url}articles`);
    const title = await page.getByRole('link', { name: 'A hive in winter' }).boundingBox();
    t.true((title?.width ?? 0) > 60, `a short title has room: ${title?.width}`);
    await page.goto(url);
    await page.locator('#articles a[href$="id=turned"]').waitFor();
    const bidi = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('#articles a[href$="id=turned"]')).unicodeBidi`,
    );
    t.is(bidi, 'isolate', 'what stands beside a turned title is not turned');
  },
);
