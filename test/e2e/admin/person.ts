import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.js';
import type { BrowserOptions } from '../browser.js';
import { axeFindings, OVERFLOW } from '../look.js';

/** The ways in which every job of the admin must be possible: of the two, each has what the other lacks. */
export const WAYS = {
  'with JavaScript by keyboard alone': { screen: {}, hands: 'keyboard' },
  'without JavaScript on a phone': {
    screen: { javaScript: false, width: 360, height: 740, touch: true },
    hands: 'mouse',
  },
} as const satisfies Record<string, { screen: BrowserOptions; hands: 'mouse' | 'keyboard' }>;

export type Way = keyof typeof WAYS;

/** Somebody who uses the admin, and finds things by the names that everybody reads or hears. */
export interface Person {
  readonly page: Page;
  /** Goes to an entry of the menu. */
  goTo(entry: string): Promise<void>;
  /** Searches a list. */
  search(text: string): Promise<void>;
  /** Follows a link. @param row a text in its row, where several rows have such a link. */
  follow(link: string | RegExp, row?: string): Promise<void>;
  /** Presses a button that sends a form, and says yes if that is asked. @param row as of `follow`. */
  press(button: string, row?: string): Promise<void>;
  /** Replaces the text of a field. A date and time is `MM/DD/YYYY hh:mm AM`. */
  write(field: string, text: string): Promise<void>;
  choose(field: string, option: string, row?: string): Promise<void>;
  tick(box: string): Promise<void>;
  /** Waits until the page says something. */
  sees(text: string | RegExp): Promise<void>;
  /** Looks at the page again until it says something, as people do where no script does it for them. */
  reloadsUntil(text: string | RegExp, row?: string): Promise<void>;
  /** The value of a field that can be copied. */
  valueOf(field: string): Promise<string>;
}

/**
 * Somebody on a page, in one of the ways. Each page that comes is looked at.
 *
 * @param faults is told what is wrong with a page.
 */
export function personOn(page: Page, way: Way, faults: (found: string[]) => void): Person {
  const { hands } = WAYS[way];
  const hasKeyboard = hands === 'keyboard';
  const { keyboard } = page;
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined)); // the page may have gone
  page.on('pageerror', ({ message }) => faults([message]));
  page.on('console', (message) => {
    // Chromium says so of every page that is answered with a status from 400 on, as a conflict is, and of scripts in a preview.
    const isExpected = message.location().url === page.url() || message.text().includes('frame is sandboxed');
    if (message.type() === 'error' && !isExpected) faults([message.text()]);
  });

  const within = (row: string | undefined) =>
    row === undefined ? page : page.getByRole('row').filter({ hasText: row });
  // Passwords and moments have no role; a label around a list also has the words of the list.
  const field = (name: string, row?: string) =>
    (['textbox', 'combobox', 'checkbox'] as const)
      .map((role) => within(row).getByRole(role, { name, exact: true }))
      .reduce((found, other) => found.or(other), within(row).getByLabel(name, { exact: true }))
      .first();
  const named = (role: 'link' | 'button', name: string | RegExp, row?: string) =>
    within(row).getByRole(role, { name, exact: true }).first();

  /** Holds the key that leads from one thing to the next until the focus is where it must be. */
  async function tabTo(target: Locator): Promise<void> {
    let element = await target.elementHandle();
    for (let presses = 0; presses < 250; ) {
      const most = await element?.evaluate(stopsBefore);
      if (most === 0) return keyboard.up('Tab');
      if (most === undefined) element = await target.elementHandle();
      // Without waiting for each: the browser would draw the page after each, too.
      await Promise.all(Array.from({ length: most ?? 0 }, () => keyboard.down('Tab')));
      presses += most ?? 0;
    }
    throw new Error(`no key leads to ${target}`);
  }

  /** Does what brings another page. */
  async function leave(act: () => Promise<unknown>): Promise<void> {
    await Promise.all([page.waitForEvent('load'), act()]);
    faults(await lookedAt(page, way));
  }

  const activate = (target: Locator) =>
    leave(async () => {
      if (!hasKeyboard) return target.click();
      await tabTo(target);
      await keyboard.press('Enter');
    });

  async function write(name: string, text: string): Promise<void> {
    const target = field(name);
    if (!hasKeyboard) return target.fill(isMoment(text) ? isoOf(text) : text);
    await tabTo(target);
    if (isMoment(text)) return typeMoment(text);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.insertText(text);
  }

  /** The parts of a field for a date and time are reached one after the other. */
  async function typeMoment(text: string): Promise<void> {
    const [date = '', time = '', half = ''] = text.split(' ');
    await keyboard.type(date.replaceAll('/', ''));
    await keyboard.press('ArrowRight');
    await keyboard.type(time.replace(':', '') + half);
  }

  return {
    page,
    write,
    async goTo(entry) {
      const links = page.getByRole('navigation').first().getByRole('link');
      if (!hasKeyboard) return activate(links.filter({ hasText: entry }));
      const entries = await links.allInnerTexts();
      await leave(async () => {
        await keyboard.press('g');
        await keyboard.press(String(entries.indexOf(entry) + 1));
      });
    },
    async search(text) {
      const target = page.getByRole('searchbox');
      if (!hasKeyboard) {
        await target.fill(text);
        return activate(page.getByRole('search').getByRole('button'));
      }
      await keyboard.press('/');
      await keyboard.press('ControlOrMeta+a');
      await keyboard.type(text);
      await leave(() => keyboard.press('Enter'));
    },
    follow: (link, row) => activate(named('link', link, row)),
    press: (button, row) => activate(named('button', button, row)),
    async choose(name, option, row) {
      const target = field(name, row);
      if (!hasKeyboard) {
        await target.selectOption({ label: option });
        return;
      }
      const chosen = target.locator('option:checked');
      await until(`${option} is chosen`, async () => {
        await tabTo(target);
        await keyboard.type(option);
        if ((await chosen.textContent())?.trim() === option) return true;
        // A browser takes letters that come a second apart for the beginnings of two names, until the focus has been elsewhere.
        await keyboard.press('Shift+Tab');
        return false;
      });
    },
    async tick(box) {
      if (!hasKeyboard) return field(box).check();
      await tabTo(field(box));
      await keyboard.press('Space');
    },
    sees: (text) => page.getByText(text).filter({ visible: true }).first().waitFor(),
    reloadsUntil: (text, row) =>
      until(`the page says ${text}`, async () => {
        await page.reload();
        return (await within(row).getByText(text).count()) > 0;
      }),
    valueOf: (name) => field(name).inputValue(),
  };
}

/** What is used here of an element and its page. */
interface InPage {
  readonly isConnected: boolean;
  readonly disabled?: boolean;
  readonly ownerDocument: {
    readonly activeElement: InPage;
    readonly body: InPage;
    querySelectorAll(selectors: string): Iterable<InPage>;
  };
  checkVisibility(): boolean;
  compareDocumentPosition(other: InPage): number;
}

/** How often the focus moves at least until an element has it; undefined for one that has left its page. It runs there. */
function stopsBefore(one: unknown): number | undefined {
  const element = one as InPage;
  const { ownerDocument: page } = element;
  const { activeElement: from, body } = page;
  if (!element.isConnected) return undefined;
  if (from === element) return 0;
  const isBefore = (first: InPage, second: InPage) => (first.compareDocumentPosition(second) & 4) !== 0;
  const stops = page.querySelectorAll(
    'a[href], button, input:not([type=hidden], [type=radio]), select, textarea, summary',
  );
  const between = [...stops].filter(
    (stop) =>
      stop.checkVisibility() &&
      !stop.disabled &&
      (from === body || isBefore(from, stop)) &&
      isBefore(stop, element),
  );
  return between.length + 1;
}

const MOMENT = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d) AM$/;
const isMoment = (text: string) => MOMENT.test(text);
const isoOf = (text: string) => text.replace(MOMENT, '$3-$1-$2T$4');

/**
 * What is wrong with a page: what does not fit, and what axe-core finds in elements of a new kind. It looks at whole pages in
 * pages.test.ts.
 */
async function lookedAt(page: Page, way: Way): Promise<string[]> {
  const overflow = await page.evaluate<number>(OVERFLOW);
  const found = overflow > 0 ? [`${overflow} px too wide`] : [];
  // Without JavaScript axe-core does not run.
  if (WAYS[way].hands === 'keyboard') found.push(...(await axeFindings(page, 'light')));
  return found.map((what) => `${new URL(page.url()).pathname}: ${what}`);
}
