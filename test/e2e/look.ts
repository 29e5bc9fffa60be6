import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunOptions } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { untilTrue } from './browser.js';

/** What is wrong with a page as a browser shows it; nothing is as it should be. */
export interface Faults {
  /** Messages of the console, and what a script threw. */
  readonly complaints: string[];
  /** Requests to other hosts than the site's. */
  readonly foreign: string[];
  /** How far the page scrolls sideways, in pixels. */
  readonly overflow: number;
  /** The same on the narrowest and on the widest screens. */
  readonly otherOverflow: number;
  /** How much moved after the page had arrived, as its pictures came: 0 for nothing. A picture without a size may push what follows. */
  readonly layoutShift: number;
  /** What axe-core finds: the rule, and the first element that breaks it. */
  readonly axe: string[];
}

export const NO_FAULTS: Faults = {
  complaints: [],
  foreign: [],
  overflow: 0,
  otherOverflow: 0,
  layoutShift: 0,
  axe: [],
};

/**
 * Somebody who opens pages, one after the other, and looks at each closely.
 *
 * @returns what does so. Whether axe-core looks, too, takes most of the time: at everything in the light, and at the contrast of
 *   colours in the dark.
 */
export async function viewer(
  browser: BrowserContext,
): Promise<(url: string, isExamined: boolean) => Promise<Faults>> {
  const page = await browser.newPage();
  const screen = page.viewportSize() ?? { width: 0, height: 0 };
  const complaints: string[] = [];
  const foreign: string[] = [];
  let url = '';
  page.on('console', (message) => {
    // Chromium says so of every page that answers 404, as the page for missing addresses does.
    if (message.type() === 'error' && message.location().url !== url) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) foreign.push(request.url());
  });
  await page.addInitScript(ARRIVED);
  // Whether a page is shown before all of it has come depends on the machine; slow-arrival.test.ts looks at that.
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() === 'image') await untilTrue(page, 'window.arrived !== undefined');
    await route.continue().catch(() => undefined); // its page may have gone
  });

  return async (address, isExamined) => {
    url = address;
    await page.setViewportSize(screen);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(url);
    await untilTrue(page, 'window.arrived !== undefined');
    // A search that the address asks for is made by a script.
    if (url.includes('?q=')) await page.locator('#found li').first().waitFor();
    const overflow = await page.evaluate<number>(OVERFLOW);
    await showEverything(page);
    const layoutShift = await page.evaluate<number>(LAYOUT_SHIFT);
    const found: string[] = [];
    if (isExamined) {
      found.push(...(await axeFindings(page, 'light', true)));
      await page.emulateMedia({ colorScheme: 'dark' });
      found.push(...(await axeFindings(page, 'dark')));
    }
    const others: number[] = [];
    for (const width of OTHER_WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      others.push(await page.evaluate<number>(OVERFLOW));
    }
    return {
      ...{ complaints: complaints.splice(0), foreign: foreign.splice(0), layoutShift, axe: found },
      overflow: Math.max(0, overflow),
      otherOverflow: Math.max(0, ...others),
    };
  };
}

/** The widths of the narrowest and of the widest screens, in CSS pixels. */
const OTHER_WIDTHS = [320, 1920];

/** How far a page scrolls sideways, in pixels; an expression for the page. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Scrolls to the end and back, so that what loads when it is seen is loaded. */
async function showEverything(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await untilTrue(page, '[...document.images].every((image) => image.complete)');
  await page.evaluate('scrollTo(0, 0)');
}

/** Notes when the whole page has been shown, with its pictures still to come. */
const ARRIVED = `addEventListener('DOMContentLoaded', () => requestAnimationFrame(() => requestAnimationFrame(() => {
  window.arrived = performance.now();
})))`;

const LAYOUT_SHIFT = `new Promise((resolve) => {
  const unsized = [...document.querySelectorAll('.content img:not([width], [hidden])')];
  const isPushed = ({ node }) =>
    unsized.some((image) => node && image.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries())
      if (startTime > window.arrived && !sources.every(isPushed)) sum += value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(sum), 50);
})`;

/** The script of axe-core, half as long as the one that its package has for Node.js. Its value, which would be sent back, is left out. */
const AXE = `${fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')};void 0`;

/** The kinds of elements that axe-core has looked at in this process. */
const examined = { light: new Set<string>(), dark: new Set<string>() };

/**
 * One element of each kind in a page, by its tag, classes and role, and those of what it stands in, on which its colours depend;
 * an expression for the page.
 */
const KINDS = `new Map([...document.querySelectorAll('body *')].map((one) => {
  const around = [one, one.parentElement, one.parentElement.parentElement];
  const sheets = [...document.styleSheets].map(({ href }) => href?.replace(origin, ''));
  return [[...sheets, ...around.map(({ tagName, className, role }) => [tagName, className, role])].join(' '), one];
}))`;

/**
 * What axe-core finds in elements of a new kind: everything in the light, the contrast of colours in the dark.
 *
 * @param isWhole whether it looks at the whole page, as at one of each kind of page.
 */
export async function axeFindings(page: Page, scheme: 'light' | 'dark', isWhole = false): Promise<string[]> {
  const kinds = await page.evaluate<string[]>(`[...${KINDS}.keys()]`);
  const fresh = kinds.filter((kind) => !examined[scheme].has(kind));
  for (const kind of fresh) examined[scheme].add(kind);
  if (fresh.length === 0 && !isWhole) return [];
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // A list that follows by itself may have lost an element since: then all of the page is looked at.
  const elements = `((all) => ${JSON.stringify(fresh)}.map((kind) => all.get(kind) ?? document))(${KINDS})`;
  const options: RunOptions = {
    resultTypes: ['violations'],
    iframes: false,
    ...(scheme === 'dark' && { runOnly: ['color-contrast'] }),
  };
  return page.evaluate<
    string[]
  >(`axe.run(${isWhole ? 'document' : `{ include: ${elements} }`}, ${JSON.stringify(options)})
    .then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`);
}
