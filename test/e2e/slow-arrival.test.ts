import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext } from 'playwright-core';
import { openBrowser } from './browser.js';
import { PAGES, sharedSite } from './demo-site.js';

/** Long enough for the browser to show what has come. */
const FRAME_MS = 35;

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
  setTimeout(() => resolve(moved), 50);
})`;

const site = sharedSite(test);

for (const [screen, width] of Object.entries({ phone: 390, desktop: 1280 }))
  test(`pages that arrive piece by piece do not jump, on a ${screen}`, async (t) => {
    const slow = await passOnSlowly(t, site().origin);
    const browser = await openBrowser(t, { width, height: 3000 });
    await Promise.all(
      Object.entries(PAGES).map(async ([kind, path]) => {
        // What is found is no part of the page; it comes into an empty list.
        if (!path.includes('?')) t.deepEqual(await whatMoves(browser, `${slow}${path}`), [], kind);
      }),
    );
  });

test('a page that jumps as it arrives is found', async (t) => {
  const style = '<style>nav { visibility: visible !important }</style>';
  const slow = await passOnSlowly(t, site().origin, (page) => page.replace('</head>', `${style}</head>`));
  const moved = await whatMoves(await openBrowser(t), slow);
  t.true(moved.length > 0 && moved.every((text) => text.includes('nav')), moved.join('\n'));
});

async function whatMoves(browser: BrowserContext, url: string): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(url);
  const moved = await page.evaluate<string[]>(MOVED);
  await page.close();
  return moved;
}

/** Passes a site's pages on piece by piece, and everything else at once. Returns its address. */
async function passOnSlowly(
  t: ExecutionContext,
  origin: string,
  change: (page: string) => string = (page) => page,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${origin}${request.url}`);
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type });
    if (type.startsWith('text/html')) {
      const [head = '', body = ''] = change(await answer.text()).split(/(?=<body)/);
      response.write(head);
      for (const piece of body.split(PIECES)) {
        await sleep(FRAME_MS);
        response.write(piece);
      }
      response.end();
    } else response.end(Buffer.from(await answer.arrayBuffer()));
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
