import axe from 'axe-core';
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
 * Opens a page and looks at it closely.
 *
 * @param options.axe what axe-core looks for, which takes most of the time: everything, the contrast of colours, or nothing.
 */
export async function lookAt(
  browser: BrowserContext,
  url: string,
  options: { readonly axe: 'all' | 'contrast' | 'none' },
): Promise<Faults> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
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
    await route.continue();
  });
  await page.goto(url);
  await untilTrue(page, 'window.arrived !== undefined');
  // A search that the address asks for is made by a script.
  if (url.includes('?q=')) await page.locator('#found li').first().waitFor();
  const overflow = await page.evaluate<number>(OVERFLOW);
  await showEverything(page);
  const layoutShift = await page.evaluate<number>(LAYOUT_SHIFT);
  const found = options.axe === 'none' ? [] : await axeFindings(page, options.axe);
  const others: number[] = [];
  for (const width of OTHER_WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    others.push(await page.evaluate<number>(OVERFLOW));
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
  return {
    complaints,
    foreign,
    overflow: Math.max(0, overflow),
    otherOverflow: Math.max(0, ...others),
    layoutShift,
    axe: found,
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

/** What axe-core finds on a page: everything, or the contrast of colours, which takes a part of the time. */
export async function axeFindings(page: Page, what: 'all' | 'contrast'): Promise<string[]> {
  await page.evaluate(axe.source);
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    iframes: false,
    ...(what === 'contrast' && { runOnly: ['color-contrast'] }),
  };
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`);
}
