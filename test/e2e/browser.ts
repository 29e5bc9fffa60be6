import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** Debian's. */
export const CHROMIUM = '/usr/bin/chromium';

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
}

/** A browser with a profile of its own; both go away with the test. */
export async function openBrowser(
  t: { teardown(dispose: () => unknown): void },
  { colorScheme = 'light', width = 1280, height = 900, scale = 1, javaScript = true }: BrowserOptions = {},
): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), 'pressmark-browser-'));
  t.teardown(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    colorScheme,
    viewport: { width, height },
    deviceScaleFactor: scale,
    javaScriptEnabled: javaScript,
    args: QUIET,
  });
  t.teardown(() => browser.close());
  return browser;
}
