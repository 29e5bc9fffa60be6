import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './browser.js';
import { PAGES, sharedSite } from './demo-site.js';

/** Between two pieces: long enough for the browser to show what has come. */
const FRAME_MS = 35;

/** For how long a piece waits at most for the one before it to be shown. */
const LONGEST_FRAME_MS = 500;

/** After each tag, and in front of the next: where a page may be cut when it comes over a slow network. */
const PIECES = /(?<=>)(?=[^\n])|(?<=[^\n>])(?=<)/;

/**
 * What moved: its beginning, and from where to where. What the article itself holds is left out: a line of
 * text is set anew when the words come that belong to it.
 */
const MOVED = `new Promise((resolve) => {
  const moved = [];
  new PerformanceObserver((list) => {
    for (const { node, previousRect, currentRect } of list.getEntries().flatMap(({ sources }) => sources))
      if (!node?.parentElement?.closest('.content'))
        moved.push([(node?.outerHTML ?? node?.data ?? '').slice(0, 80), previousRect, currentRect].map((part) => JSON.stringify(part)).join(' '));
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(moved))));
})`;

/** Resolves when the browser has shown what had come before. */
const SHOWN = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

const site = sharedSite(test, { site: { pageSize: 4 }, earlier: 8 });

for (const [screen, width] of Object.entries({ phone: 390, desktop: 1280 }))
  test(`pages that arrive piece by piece do not jump, on a ${screen}`, async (t) => {
    const browser = await openBrowser(t, { width, height: 3000 });
    const moves = await watchSlowArrival(t, browser, site().origin, { pause: () => sleep(FRAME_MS) });
    await Promise.all(
      Object.entries({ ...PAGES, 'older page': '/archive/page/1/' }).map(async ([kind, path]) => {
        // What is found is not part of the page; it comes into an empty list.
        if (!path.includes('?')) t.deepEqual(await moves(path), [], kind);
      }),
    );
  });

test('a page that jumps as it arrives is found', async (t) => {
  const style = '<style>nav { visibility: visible !important }</style>';
  const addStyle = (page: string) => page.replace('</head>', `${style}</head>`);
  // However busy the machine is, each piece is shown before the next one. Nothing is shown while there is no body.
  const pause = (page: Page) => Promise.race([page.evaluate(SHOWN), sleep(LONGEST_FRAME_MS)]);
  const browser = await openBrowser(t);
  const moves = await watchSlowArrival(t, browser, site().origin, { pause, change: addStyle });
  const moved = await moves('/');
  t.true(moved.length > 0 && moved.every((text) => text.includes('nav')), moved.join('\n'));
});

/**
 * Passes a site's pages on piece by piece, and everything else at once.
 *
 * @returns what loads the page at a path and resolves with what moved while it arrived.
 */
async function watchSlowArrival(
  t: ExecutionContext,
  browser: BrowserContext,
  origin: string,
  {
    pause,
    change = (page) => page,
  }: { pause: (page: Page) => Promise<unknown>; change?: (page: string) => string },
): Promise<(path: string) => Promise<string[]>> {
  const pages = new Map<string, Page>();
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${origin}${request.url}`);
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type });
    const page = pages.get(request.url ?? '');
    if (page !== undefined && type.startsWith('text/html')) {
      const [head = '', body = ''] = change(await answer.text()).split(/(?=<body)/);
      response.write(head);
      await page.waitForURL(`**${request.url}`, { waitUntil: 'commit' });
      for (const piece of body.split(PIECES)) {
        await pause(page);
        response.write(piece);
      }
      response.end();
    } else response.end(Buffer.from(await answer.arrayBuffer()));
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return async (path) => {
    const page = await browser.newPage();
    pages.set(path, page);
    await page.goto(`http://127.0.0.1:${port}${path}`);
    const moved = await page.evaluate<string[]>(MOVED);
    await page.close();
    return moved;
  };
}
