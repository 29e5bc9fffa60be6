import { NotChecked } from './expect.js';
import type { ProbeRequest, Reply, Transport } from './probe.js';

export type Page = Reply;

/** Looks at public pages, which are built a while after the answer. */
export interface Pages {
  /**
   * Fetches a page until it is there and `ready`, or the time is over.
   * @returns the last answer, whatever it was.
   * @throws NotChecked where pages are not to be looked at.
   */
  when(url: string, ready: (html: string) => boolean): Promise<Page>;
}

export interface PagesOptions {
  /** Fetches pages here rather than at the URL's own origin: for a site that is not public yet. */
  readonly origin?: string | undefined;
  /** How long a page is waited for, in milliseconds. */
  readonly waitMs: number;
}

const EVERY_MS = 500;
const FETCH_MS = 10_000;
const MAX_REDIRECTS = 5;

/** The pages of one run. `allow` waits until a request may begin. */
export function createPages(
  options: PagesOptions | undefined,
  transport: Transport,
  allow: () => Promise<void>,
): Pages {
  const fetchPage = async (at: string, hops = 0): Promise<Page> => {
    await allow();
    const url = new URL(at);
    const request: ProbeRequest = {
      url,
      method: 'GET',
      headers: { Accept: 'text/html', 'Cache-Control': 'no-cache' },
      body: Buffer.alloc(0),
      timeoutMs: FETCH_MS,
    };
    const reply = await transport.exchange(request);
    if (reply.kind === 'silence' || reply.status < 300 || reply.status > 399) return reply;
    const { location } = reply.headers;
    if (location === undefined || hops === MAX_REDIRECTS || !URL.canParse(location, at)) return reply;
    const next = new URL(location, url);
    return /^https?:$/.test(next.protocol) ? fetchPage(next.href, hops + 1) : reply;
  };

  return {
    when: async (url, ready) => {
      if (options === undefined) throw new NotChecked('pages are looked at with --public');
      const own = new URL(url);
      const at = options.origin === undefined ? url : `${options.origin}${own.pathname}${own.search}`;
      const end = performance.now() + options.waitMs;
      for (;;) {
        const page = await fetchPage(at);
        const there = page.kind === 'answer' && page.status === 200 && ready(page.text);
        if (there || performance.now() > end) return page;
        await new Promise((resolve) => setTimeout(resolve, Math.min(EVERY_MS, options.waitMs)));
      }
    },
  };
}
