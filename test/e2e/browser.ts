import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** A browser with a profile of its own that stays off the network but for what the pages ask for. */
export function openBrowser(
  colorScheme: 'light' | 'dark',
  width: number,
  height: number,
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'pressmark-browser-')), {
    executablePath: '/usr/bin/chromium',
    colorScheme,
    viewport: { width, height },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
