import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { isLocal } from '../../host/http/local-request.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';

/** No file of a site has such a path: dot files are not served. */
const VERSION = '/.pressmark/live';
const SCRIPT = '/.pressmark/live.js';

/**
 * Asks twice a second whether the page is still the newest. Does nothing on a page that is not looked at on this very
 * machine, should a proxy that says nothing of itself have let it through.
 */
const script = (basePath: string) => `const mine = new URL(import.meta.url).search.slice(1);
async function look() {
  const asked = fetch('${basePath}${VERSION}').then((answer) => (answer.ok ? answer.text() : mine));
  if ((await asked.catch(() => mine)) !== mine) location.reload();
  else setTimeout(look, 500);
}
if (/^(localhost|.+\\.localhost|127\\..+|\\[::1\\])$/.test(location.hostname)) look();
`;

/** The reloading of pages in browsers on the preview; see `createLiveReload`. */
export interface LiveReload {
  /** Hears of builds. */
  readonly plugin: Plugin;
  /** Answers what the script asks for. */
  readonly middleware: Middleware;
  /** What is put into a page that a browser on this machine asks for; undefined for anybody else. */
  inject(request: IncomingMessage): string | undefined;
}

/**
 * Reloads the pages that a browser on this machine shows whenever a build has changed something. The script that
 * does it is put into pages on their way out, never into a file.
 *
 * @param basePath the path below which the site stands, `''` for the root.
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
