import { messageOf, PressmarkError } from '../../errors.js';
import { exchange } from '../../sender/delivery/transport.js';

/** A received page; `fault` tells why there is none. */
export interface Page {
  readonly status: number;
  readonly html: string;
  readonly fault: string | undefined;
}

export interface PagesOptions {
  /** Fetches pages from this origin instead of the URL's own: for a site that is not public yet. */
  readonly origin?: string | undefined;
  /** How long to wait for a page, in milliseconds. */
  readonly waitMs: number;
}

const EVERY_MS = 500;
const FETCH_MS = 10_000;
const MAX_REDIRECTS = 5;

/**
 * Fetches a public page, which is built a while after the answer, until it exists and is `ready`, or the time is over.
 *
 * @param turn waits until a request may begin.
 * @returns the last answer.
 */
export async function pageWhen(
  url: string,
  ready: (html: string) => boolean,
  { origin, waitMs }: PagesOptions,
  turn: () => Promise<void>,
): Promise<Page> {
  const own = new URL(url);
  const at = origin === undefined ? url : `${origin}${own.pathname}${own.search}`;
  const end = performance.now() + waitMs;
  for (;;) {
    await turn();
    const page = await fetchPage(at);
    if ((page.status === 200 && ready(page.html)) || performance.now() > end) return page;
    await new Promise((resolve) => setTimeout(resolve, Math.min(EVERY_MS, waitMs)));
  }
}

async function fetchPage(url: string): Promise<Page> {
  try {
    const { status, body, incomplete, redirectRefused } = await exchange({
      url,
      method: 'GET',
      headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
      timeoutMs: FETCH_MS,
      redirects: MAX_REDIRECTS,
    });
    const fault = incomplete === undefined ? redirectRefused : `the page ${incomplete}`;
    return { status, html: body.toString('utf8'), fault };
  } catch (error) {
    if (error instanceof PressmarkError) return { status: 0, html: '', fault: messageOf(error) };
    throw error;
  }
}
