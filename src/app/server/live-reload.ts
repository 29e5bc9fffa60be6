import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { isLocal } from '../../host/http/local-request.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';

/** No file of a site has such a path: dot files are not served. */
const EVENTS = '/.pressmark/live';
const SCRIPT = '/.pressmark/live.js';

/** Proxies and browsers give up connections on which nothing comes. */
const HEARTBEAT_MS = 15_000;

/** Each page that a browser shows holds a connection; more tabs than a person looks at need not. */
const MOST_STREAMS = 20;

/**
 * Asks again and again whether the page is still the newest. Does nothing on a page that is not looked at on this
 * very machine, should a proxy that says nothing of itself have let it through.
 */
const script = (basePath: string) => `const { hostname } = location;
if (/^(localhost|.+\\.localhost|127\\..+|\\[::1\\])$/.test(hostname)) {
  const mine = new URL(import.meta.url).search.slice(1);
  new EventSource('${basePath}${EVENTS}').onmessage = ({ data }) => {
    if (data !== mine) location.reload();
  };
}
`;

/** The reloading of pages in browsers on the preview; see `createLiveReload`. */
export interface LiveReload {
  /** Hears of builds. */
  readonly plugin: Plugin;
  /** Answers what the script asks for. */
  readonly middleware: Middleware;
  /** What is put into a page that a browser on this machine asks for; undefined for anybody else. */
  inject(request: IncomingMessage): string | undefined;
  /** Ends the connections that are kept open. */
  close(): void;
}

/**
 * Reloads the pages that a browser on this machine shows whenever a build has changed something. The script that
 * does it is put into pages on their way out, never into a file.
 *
 * @param basePath the path below which the site stands, `''` for the root.
 */
export function createLiveReload(basePath: string): LiveReload {
  const run = randomBytes(4).toString('hex');
  const open = new Set<ServerResponse>();
  let builds = 0;
  const version = () => `${run}-${builds}`;

  const heartbeat = setInterval(() => {
    for (const response of open) response.write(':\n\n');
  }, HEARTBEAT_MS).unref();

  const plugin = definePlugin({
    name: 'live-reload',
    receiver: (host) => {
      host.addAction('site.built', ({ written, removed }) => changed(written + removed));
      host.addAction('build.done', ({ written, removed }) => changed(written.length + removed.length));
    },
  });

  function changed(files: number): void {
    if (files === 0) return;
    builds++;
    for (const response of open) response.write(`data: ${version()}\n\n`);
  }

  const middleware: Middleware = async (context, next) => {
    const path = context.path.startsWith(basePath) ? context.path.slice(basePath.length) : '';
    if (context.method !== 'GET' || !isLocal(context.req)) return next();
    if (path === SCRIPT) {
      context.set('Cache-Control', 'no-cache');
      context.type = 'js';
      context.body = script(basePath);
      return;
    }
    if (path !== EVENTS) return next();
    if (open.size >= MOST_STREAMS) {
      context.status = 503;
      context.body = { error: `${MOST_STREAMS} pages reload themselves already; close some of them` };
      return;
    }
    context.respond = false;
    const { res } = context;
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    // At once, as pages may have changed between the page and this; and after a restart everything is another.
    res.write(`retry: 500\ndata: ${version()}\n\n`);
    open.add(res);
    res.once('close', () => open.delete(res));
  };

  function inject(request: IncomingMessage) {
    return isLocal(request)
      ? `<script type="module" src="${basePath}${SCRIPT}?${version()}"></script>\n`
      : undefined;
  }

  function close(): void {
    clearInterval(heartbeat);
    for (const response of open) response.end();
  }

  return { plugin, middleware, inject, close };
}
