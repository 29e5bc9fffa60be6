import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { isLocal } from '../../host/http/local-request.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';

/** A path that no file of a site has, as dot files are not served. */
const VERSION = '/.pressmark/live';
const SCRIPT = '/.pressmark/live.js';

/**
 * Asks twice a second whether the page is up to date. It does nothing on another machine, in case a proxy that adds no headers
 * has passed it on.
 */
const script = (basePath: string) => `const mine = new URL(import.meta.url).search.slice(1);
async function look() {
  const asked = fetch('${basePath}${VERSION}').then((answer) => (answer.ok ? answer.text() : mine));
  if ((await asked.catch(() => mine)) !== mine) location.reload();
  else setTimeout(look, 500);
}
if (/^(localhost|.+\\.localhost|127\\..+|\\[::1\\])$/.test(location.hostname)) look();
`;

/** The live reload of the preview; see `createLiveReload`. */
export interface LiveReload {
  /** Receives the builds. */
  readonly plugin: Plugin;
  /** Answers the script's requests. */
  readonly middleware: Middleware;
  /** The HTML to insert into a page for a browser on this machine; undefined for any other client. */
  inject(request: IncomingMessage): string | undefined;
}

/**
 * Reloads pages in browsers on this machine when a build has changed something. The script is inserted into pages when they are
 * served, never into files.
 *
 * @param basePath the site's base path; `''` for the root.
 */
export function createLiveReload(basePath: string): LiveReload {
  const run = randomBytes(4).toString('hex'); // after a restart everything may be another
  let builds = 0;
  const version = () => `${run}-${builds}`;

  const plugin = definePlugin({
    name: 'live-reload',
    receiver: (host) => {
      const count = (files: number) => {
        if (files > 0) builds++;
      };
      host.addAction('site.built', ({ written, removed }) => count(written + removed));
      host.addAction('build.done', ({ written, removed }) => count(written.length + removed.length));
    },
  });

  const middleware: Middleware = (context, next) => {
    if (context.method !== 'GET' || !isLocal(context.req)) return next();
    if (context.path === `${basePath}${SCRIPT}`) [context.type, context.body] = ['js', script(basePath)];
    else if (context.path === `${basePath}${VERSION}`) [context.type, context.body] = ['txt', version()];
    else return next();
    context.set('Cache-Control', 'no-cache');
    return undefined;
  };

  const inject = (request: IncomingMessage) =>
    isLocal(request)
      ? `<script type="module" src="${basePath}${SCRIPT}?${version()}"></script>\n`
      : undefined;

  return { plugin, middleware, inject };
}
