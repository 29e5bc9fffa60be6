import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { ask } from '../../support/ask.js';
import { startEndpoint } from '../../support/endpoint.js';
import { openBrowser } from '../browser.js';
import { PAGES, sharedSite } from './demo-site.js';

/** Between two pieces: long enough for the browser to show what has come. */
const FRAME_MS = 20;

/** After each tag, and in front of the next: where a page may be cut when it comes over a slow network. */
const PIECES = /(?<=>)(?=[^\n])|(?<=[^\n>])(?=<)/;

/** What an article holds, which comes in one piece: nobody looks at what moves in it. */
const CONTENT = /(<div class="content"[\s\S]*<\/div>)(?=[\s\S]*<footer data-)/;

const piecesOf = (body: string) =>
  body.split(CONTENT).flatMap((part, n) => (n % 2 === 1 ? part : part.split(PIECES)));

/**
 * What moved: its beginning, and from where to where. A line of text is set anew when the words come that belong to it: a text
 * of which a busy browser had only the first words is left out, and what the article itself holds.
 */
const MOVED = `new Promise((resolve) => {
  const moved = [];
  new PerformanceObserver((list) => {
    for (const { node, previousRect, currentRect } of list.getEntries().flatMap(({ sources }) => sources))
      if (!node?.parentElement?.closest('.content') && !((node?.childElementCount ?? 0) === 0 && previousRect.width < currentRect.width))
        moved.push([(node?.outerHTML ?? node?.data ?? '').slice(0, 80), previousRect, currentRect].map((part) => JSON.stringify(part)).join(' '));
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(moved))));
})`;

const site = sharedSite(test);

const KINDS = [PAGES.home, PAGES['article with everything'], PAGES.archive];

/** A wide screen differs by its navigation and its grid, which these pages have. */
const SCREENS = [
  { screen: 'phone', width: 390, paths: [...KINDS, PAGES.tag, PAGES.search, PAGES['page of the archive']] },
  { screen: 'desktop', width: 1280, paths: KINDS },
];

for (const { screen, width, paths } of SCREENS)
  test(`pages that arrive piece by piece do not jump, on a ${screen}`, async (t) => {
    const browser = await openBrowser(t, { width, height: 3000 });
    const moves = await watchSlowArrival(t, browser, site().origin);
    await Promise.all(paths.map(async (path) => t.deepEqual(await moves(path), [], path)));
  });

/**
 * Puts the style sheet into the head. Before it has come a browser shows nothing, but the headless shell counts what moves,
 * and it might come late: the pages that are loaded at once use all connections.
 */
async function withStyle(head: string, origin: string): Promise<string> {
  const [link = '', href = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(head) ?? [];
  const { text: style } = await ask(origin, href);
  return head.replace(link, () => `<style>${style}</style>`);
}

/**
 * Passes a site's pages on piece by piece, and everything else at once.
 *
 * @returns what loads the page at a path and resolves with what moved while it arrived.
 */
async function watchSlowArrival(
  t: ExecutionContext,
  browser: BrowserContext,
  origin: string,
): Promise<(path: string) => Promise<string[]>> {
  const pages = new Map<string, Page>();
  const { origin: slow } = await startEndpoint(t, async ({ path }, response) => {
    const answer = await ask(origin, path);
    const type = answer.headers['content-type'] ?? '';
    response.writeHead(answer.status, { 'content-type': type });
    const page = pages.get(path);
    if (page !== undefined && type.startsWith('text/html')) {
      const [head = '', body = ''] = answer.text.split(/(?=<body)/);
      response.write(await withStyle(head, origin));
      await page.waitForURL(`**${path}`, { waitUntil: 'commit' });
      for (const piece of piecesOf(body)) {
        await sleep(FRAME_MS);
        response.write(piece);
      }
      response.end();
    } else response.end(answer.bytes);
  });

  return async (path) => {
    const page = await browser.newPage();
    pages.set(path, page);
    await page.goto(`${slow}${path}`);
    const moved = await page.evaluate<string[]>(MOVED);
    await page.close();
    return moved;
  };
}
