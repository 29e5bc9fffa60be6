import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Teardown } from '../support/teardown.js';
import { until } from '../support/until.js';

/** Debian’s Chromium without a window, which takes a third of the processor time. */
export const CHROMIUM = '/usr/bin/chromium-headless-shell';

/** What keeps the browser off the network, but for what pages ask for. */
export const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface BrowserOptions {
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark';
  /** In CSS pixels. @default 1280 */
  readonly width?: number;
  /** @default 900 */
  readonly height?: number;
  /** Device pixels for one of CSS. @default 1 */
  readonly scale?: number;
  /** @default true */
  readonly javaScript?: boolean;
  /** Whether it is used with fingers. @default false */
  readonly touch?: boolean;
}

/** Longer than any page takes on a busy machine. */
const PATIENCE_MS = 150_000;

/** The browser of this process while any test uses it: to start one takes a second. */
let running: { readonly browser: Promise<Browser>; users: number } | undefined;

/** A window of the browser, which shares no cookies, caches or storage with others; it goes away with the test. */
export async function openBrowser(
  t: Teardown,
  {
    colorScheme = 'light',
    width = 1280,
    height = 900,
    scale = 1,
    javaScript = true,
    touch = false,
  }: BrowserOptions = {},
): Promise<BrowserContext> {
  running ??= { browser: chromium.launch({ executablePath: CHROMIUM, args: QUIET }), users: 0 };
  const ours = running;
  ours.users++;
  t.teardown(async () => {
    if (--ours.users > 0) return;
    if (running === ours) running = undefined;
    await (await ours.browser).close();
  });
  const context = await (await ours.browser).newContext({
    colorScheme,
    viewport: { width, height },
    deviceScaleFactor: scale,
    javaScriptEnabled: javaScript,
    hasTouch: touch,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  t.teardown(() => context.close());
  return context;
}

/** Waits until an expression is true in a page. `waitForFunction` needs eval there, which the page's policy forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  // A page that is just being reloaded has no answer.
  await until(expression, async () => (await page.evaluate(expression).catch(() => false)) === true);
}
