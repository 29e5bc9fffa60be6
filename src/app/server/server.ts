import type http from 'node:http';
import net from 'node:net';
import type Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { sameSecret } from '../../host/http/accounts.js';
import { hostnameOf, isLocal, isLoopbackName } from '../../host/http/local-request.js';
import { ADMIN_PATH, type ServedBelow } from '../../host/http/routes.js';
import type { Log } from '../../log.js';
import { answerEarly } from '../../webhook/http/answer-early.js';
import { HEALTH } from '../content/content.js';
import { createBoundedServer, type Patience } from './connections.js';
import { type PreviewOptions, preview } from './preview.js';
import { isClientGone } from './send-file.js';

/** How long a stop waits. The whole shutdown has 10 s, and later steps need time too. */
const PATIENCE: Patience = { unfinishedMs: 4_000, wholeMs: 7_000 };

/** The longest body for a plugin's middleware, in bytes. */
const MOST_SERVED_BYTES = 5_000_000;

export interface ServerOptions extends PreviewOptions {
  readonly webhook: Middleware;
  /** The plugins' endpoints for other services. */
  readonly adapters: readonly Middleware[];
  /** The routes of plugins. */
  readonly routers: readonly Router[];
  /** The paths that plugins answer with a middleware. */
  readonly served: readonly ServedBelow[];
  /** The origin that serves only the admin; undefined if there is none. */
  readonly adminOrigin: string | undefined;
  /** Whether scripts in articles may run. Then the pages are at `127.0.0.1`, and the admin is at `localhost`. */
  readonly runsScripts: boolean;
  /** The reason why articles cannot be stored now; undefined if they can. */
  readonly health: () => string | undefined;
  /** The details of /healthz?verbose, for clients with the token. */
  readonly details: () => object | Promise<object>;
  /** The token for these details; undefined if nobody may see them. */
  readonly statusToken: string | undefined;
}

/** The HTTP side of a receiver. */
export interface Server {
  readonly http: http.Server;
  /**
   * Listens; resolves with the port.
   *
   * @throws PressmarkError PORT_UNAVAILABLE
   */
  listen(port: number, host: string | undefined): Promise<number>;
  /**
   * Stops accepting, and resolves when every request that has arrived is answered. Each answer closes its connection. Clients
   * that send or read too slowly are cut off, so that plugins and store can be closed in time.
   */
  close(patience?: Patience): Promise<void>;
}

/** Creates the server: the webhook, adapters, /healthz, plugins' routes and the built site, in this order. */
export function createServer({
  webhook,
  adapters,
  routers,
  served,
  adminOrigin,
  runsScripts,
  health,
  details,
  statusToken,
  ...options
}: ServerOptions): Server {
  const { log } = options;
  const app = new Koa();
  app.on('error', (error: unknown) => {
    if (isClientGone(error)) log.debug({ reason: messageOf(error) }, 'a client went away');
    // Not a warning, as strangers decide how often it happens.
    else if (httpErrorOf(error).expose) log.debug({ reason: messageOf(error) }, 'a request was cut off');
    else log.error({ err: error }, 'a request failed');
  });
  app.use(onlyWithPath);
  app.use(webhook);
  for (const adapter of adapters) app.use(adapter);
  app.use(healthz(health, details, statusToken));
  app.use(failuresAsJson(log));
  if (adminOrigin !== undefined) app.use(onlyAdminAt(new URL(adminOrigin).hostname));
  if (runsScripts) app.use(apartFromAdmin);
  for (const below of served) app.use(onlyBelow(below));
  if (routers.length > 0) app.use(boundedBody()).use(wrongMethodAsJson);
  for (const router of routers) app.use(router.routes()).use(router.allowedMethods());
  if (options.liveReload !== undefined) app.use(options.liveReload.middleware);
  app.use(preview(options));
  const { server, close } = createBoundedServer(app.callback(), log);
  return {
    http: server,
    listen: (port, host) => listen(server, port, host),
    close: (patience = PATIENCE) => close(patience),
  };
}

/** Answers 400 to a target without a path, such as `http://[`: Koa would throw wherever the path is read. */
const onlyWithPath: Middleware = (context, next) => {
  if (hasPath(context)) return next();
  context.status = 400;
  context.body = { error: 'the target of the request has no path' };
  return undefined;
};

function hasPath(context: Context): boolean {
  try {
    return typeof context.path === 'string';
  } catch {
    return false;
  }
}

/** Passes requests at a plugin's path and below to the plugin. The raw path is compared. */
function onlyBelow({ path, handler }: ServedBelow): Middleware {
  const bounded = boundedBody(MOST_SERVED_BYTES);
  return (context, next) =>
    context.path === path || context.path.startsWith(`${path}/`)
      ? bounded(context, async () => {
          await handler(context, next);
        })
      : next();
}

/**
 * Limits the size of bodies for plugins, however they read them. A request that announces a larger body is answered with 413. If
 * the length is not announced, the connection is cut off at the limit.
 */
function boundedBody(mostBytes = MAX_BODY_BYTES): Middleware {
  const tooLarge = `body is over ${mostBytes} bytes, the most that a route of a plugin reads`;
  return (context, next) => {
    const { req, res } = context;
    if (Number(req.headers['content-length'] ?? 0) > mostBytes) {
      context.respond = false;
      return answerEarly(req, res, 413, JSON.stringify({ error: tooLarge }));
    }
    let bytes = 0;
    // Node.js passes the bytes of a body to `push`. Counting them here needs no further stream that routes would have to know.
    req.push = (chunk: Buffer | null) => {
      bytes += chunk?.length ?? 0;
      if (bytes <= mostBytes) return Object.getPrototypeOf(req).push.call(req, chunk);
      req.destroy(new PressmarkError('BODY_TOO_LARGE', tooLarge));
      return false;
    };
    return next();
  };
}

/** Serves only the admin at a host: on the same host, a script in an article could act for the logged-in user. */
function onlyAdminAt(host: string): Middleware {
  return (context, next) => {
    if (hostnameOf(context.get('host')) !== host || `${context.path}/`.startsWith(ADMIN_PATH)) return next();
    if (context.path !== '/') return context.throw(404, 'this host serves only the admin, at /-/admin/');
    context.redirect(ADMIN_PATH);
    return undefined;
  };
}

/**
 * Keeps pages and admin at different hosts of this machine, and so at different origins, because a script in an article could
 * act for the logged-in user. The live check is not affected, as it runs no scripts.
 */
const apartFromAdmin: Middleware = (context, next) => {
  const host = context.get('host');
  const name = hostnameOf(host) ?? '';
  const isAdmin = `${context.path}/`.startsWith(ADMIN_PATH);
  if (isAdmin && name !== 'localhost' && isLoopbackName(name)) {
    if (context.method !== 'GET')
      context.throw(404, 'on this machine, the admin is served at the host name localhost only');
    context.redirect(`http://${host.replace(/^(?:\[.*\]|[^:]+)/, 'localhost')}${context.url}`);
    return undefined;
  }
  const isPage = isForBrowsers(context) && !context.path.startsWith('/-/');
  if (name !== 'localhost' || !isPage || !isLocal(context.req)) return next();
  context.set('Cache-Control', 'no-store');
  context.redirect(`http://${host.replace(/^localhost/i, '127.0.0.1')}${context.url}`);
  return undefined;
};

/** Whether a request may load a page into a window or a frame. */
function isForBrowsers(context: Context): boolean {
  const shownIn = /^(?:document|i?frame|fencedframe|object|embed)$/;
  return shownIn.test(context.get('sec-fetch-dest')) || context.get('accept').includes('text/html');
}

/**
 * Answers errors of plugins' routes as JSON. `context.throw(403, 'reason')` answers 403 with the reason, and so does a client
 * error of the error table, such as ARTICLE_NOT_FOUND. Any other error is logged and answered without details.
 */
function failuresAsJson(log: Log): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      for (const name of context.res.getHeaderNames()) context.remove(name); // they described another body
      const { status, expose } = httpErrorOf(error);
      context.status = status;
      if (expose) {
        context.body = { error: error instanceof PressmarkError ? error.publicMessage : messageOf(error) };
        return;
      }
      if (isClientGone(error)) log.debug({ reason: messageOf(error) }, 'a client went away');
      else log.error({ err: error, path: context.path }, 'a route failed');
      context.body = { error: 'this route failed; the receiver’s log says why' };
    }
  };
}

/** The status of an error, and whether the client may see its message. */
function httpErrorOf(error: unknown): { readonly status: number; readonly expose: boolean } {
  if (error instanceof PressmarkError) return { status: error.status, expose: error.status < 500 };
  const { status, expose }: { status?: unknown; expose?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  if (typeof status !== 'number' || typeof expose !== 'boolean') return { status: 500, expose: false };
  return status >= 400 && status < 600 ? { status, expose } : { status: 500, expose: false };
}

/** Answers 405 for a route that exists for other methods, which are listed in `Allow`. */
const wrongMethodAsJson: Middleware = async (context, next) => {
  await next();
  if (context.status !== 405 && context.status !== 501) return;
  const allowed = context.response.get('Allow');
  if (allowed === '') context.remove('Allow'); // a method that no route has
  context.body = { error: `${context.method} is not allowed here${allowed && `; use ${allowed}`}` };
};

function healthz(
  health: () => string | undefined,
  details: ServerOptions['details'],
  token: string | undefined,
): Middleware {
  return async (context, next) => {
    if (context.path !== HEALTH) return next();
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      context.status = 405;
      context.set('Allow', 'GET, HEAD');
      context.body = { error: `${context.method} is not allowed here; use GET or HEAD` };
      return;
    }
    const trouble = health();
    context.status = trouble === undefined ? 200 : 503;
    const isVerbose = new URLSearchParams(context.querystring).has('verbose');
    const more = isVerbose && mayReadDetails(context.req, token) ? await details() : {};
    context.body = trouble === undefined ? { ok: true, ...more } : { ok: false, error: trouble, ...more };
  };
}

function mayReadDetails({ headers }: http.IncomingMessage, token: string | undefined): boolean {
  return token !== undefined && sameSecret(headers.authorization, `Bearer ${token}`);
}

/** The fixes for a port that cannot be used, by the system's error code. */
const LISTEN_FIXES: Readonly<Record<string, string>> = {
  EACCES: 'choose a port above 1023, or allow this user to listen on it',
  EADDRNOTAVAIL: 'set host to an address of this machine, or leave it out',
  ENOTFOUND: 'set host to an address of this machine, or leave it out',
};

/**
 * Tests whether a port is free.
 *
 * @returns the port; a free port for 0.
 * @throws PressmarkError PORT_UNAVAILABLE
 */
export async function tryPort(port: number, host: string | undefined): Promise<number> {
  const server = net.createServer((socket) => socket.destroy());
  try {
    return await listen(server, port, host);
  } finally {
    server.close();
  }
}

/** Makes a server listen. @throws PressmarkError PORT_UNAVAILABLE */
function listen(server: net.Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const taken = systemCode(cause) === 'EADDRINUSE';
      const why = taken
        ? 'is in use; choose another with --port, or stop what listens there'
        : `cannot be listened on: ${messageOf(cause)}; ${LISTEN_FIXES[systemCode(cause) ?? ''] ?? 'choose another port or host'}`;
      reject(new PressmarkError('PORT_UNAVAILABLE', `port ${port} ${why}`, { cause }));
    });
    server.listen({ port, ...(host !== undefined && { host }) }, () =>
      resolve((server.address() as net.AddressInfo).port),
    );
  });
}
