import test from 'ava';
import { registeredPages, usersOf } from '../support/admin.js';
import { until } from '../support/until.js';
import { adminSite } from './admin-browser.js';
import { openBrowser } from './browser.js';
import { lookAt, NO_FAULTS } from './look.js';

const PASSWORD = 'a hive of twelve bees';

/** The addresses of pages about one thing, below the admin; each page adds its own. */
const DETAILS = ['articles/article?id=item-0', 'articles/edit?id=item-0'];

/** Screens, and what axe-core looks for on each: colours change in the dark, and nothing but the room on wide screens. */
const SCREENS = {
  'a wide screen': { width: 1920, height: 1000, axe: 'none' },
  'the dark': { colorScheme: 'dark', axe: 'contrast' },
  'a phone': { width: 360, height: 740, axe: 'all' },
} as const;

test('every page of the admin is accessible, fits and complains of nothing on wide screens, in the dark and on phones', async (t) => {
  const { url, admin, open } = await adminSite(t);
  // What doctor has found is on the page as soon as it has looked.
  await until('doctor has looked', async () => (await admin.get('')).text.includes('Checked <time'));
  for (const [name, { axe, ...screen }] of Object.entries(SCREENS)) {
    const browser = await open(screen);
    for (const path of [...registeredPages().map((page) => page.path), ...DETAILS])
      t.deepEqual(
        { name, path, ...(await lookAt(browser, url + path, { axe })) },
        { name, path, ...NO_FAULTS },
      );
    const stranger = await openBrowser(t, screen);
    t.deepEqual(await lookAt(stranger, `${url}login`, { axe }), NO_FAULTS, 'login');
  }
});

for (const javaScript of [true, false])
  test(`a link, a password, the overview, and out again, by keyboard alone, ${javaScript ? 'with' : 'without'} JavaScript`, async (t) => {
    const { dir, url } = await adminSite(t);
    const { token } = await usersOf(dir).invite('Grace Hopper', { role: 'editor' });
    const page = await (await openBrowser(t, { javaScript, width: 360 })).newPage();
    const { keyboard } = page;
    const heading = (text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor();
    /** Goes to what has this name with the key that leads from one thing to the next. */
    const tabTo = async (name: string) => {
      const target = page
        .getByLabel(name, { exact: true })
        .or(page.getByRole('button', { name, exact: true }))
        .and(page.locator(':focus'));
      for (let presses = 0; presses < 60; presses++) {
        if ((await target.count()) > 0) return;
        await keyboard.press('Tab');
      }
      t.fail(`no key leads to ${name}`);
    };
    await page.goto(`${url}welcome?token=${token}`);
    await heading('Set a password');
    await tabTo('New password');
    await keyboard.type(PASSWORD);
    await tabTo('New password again');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await heading('Overview');
    await page.getByRole('link', { name: 'When bees sleep' }).waitFor();
    await tabTo('Log out');
    await keyboard.press('Enter');
    await heading('Log in');
    await tabTo('Name');
    await keyboard.type('grace hopper');
    await tabTo('Password');
    await keyboard.type('wrong');
    await keyboard.press('Enter');
    await page.getByRole('alert').getByText('Name or password is wrong.').waitFor();
    await tabTo('Password');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await heading('Overview');
    t.is(new URL(page.url()).pathname, '/-/admin/');
  });

test('keys: / searches or does nothing, ? lists them, g and a digit lead to a page, j goes through rows', async (t) => {
  const { url, open } = await adminSite(t);
  const page = await (await open()).newPage();
  await page.goto(url);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  t.is(await page.locator(':focus').innerText(), await page.locator('table.list a').first().innerText());
  await page
    .getByRole('link', { name: /Ada Finch/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('1');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

test('a list that is open follows deliveries by itself', async (t) => {
  const { open, url, deliver } = await adminSite(t);
  const page = await (await open()).newPage();
  await page.clock.install();
  await page.goto(url);
  await page.getByRole('link', { name: 'When bees sleep' }).waitFor();
  await deliver('Notes from a wet May');
  await until('the new article is in the list', async () => {
    await page.clock.runFor(11_000);
    return (await page.getByRole('link', { name: 'Notes from a wet May' }).count()) > 0;
  });
  t.pass();
});
