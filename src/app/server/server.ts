import type http from 'node:http';
import net from 'node:net';
import type Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { hostnameOf, isLocal, isLoopbackName } from '../../host/http/local-request.js';
import { ADMIN_PATH, type ServedBelow } from '../../host/http/routes.js';
import { sameSecret } from '../../host/http/same-secret.js';
import type { Log } from '../../log.js';
import { HEALTH } from '../content/content.js';
import { boundedBody } from './bounded-body.js';
import { createBoundedServer, type Patience } from './connections.js';
import { type PreviewOptions, preview } from './preview.js';
import { isClientGone } from './send-file.js';

/** How long a stop waits; what follows needs time too, and all of it has 10 s. */
const PATIENCE: Patience = { unfinishedMs: 4_000, wholeMs: 7_000 };

/** The longest body of a request to a plugin that serves without routes. */
const MOST_SERVED_BYTES = 5_000_000;

export interface ServerOptions extends PreviewOptions {
  readonly webhook: Middleware;
  /** The endpoints that plugins have for other services. */
  readonly adapters: readonly Middleware[];
  /** The routes of plugins. */
  readonly routers: readonly Router[];
  /** What plugins answer without routes. */
  readonly served: readonly ServedBelow[];
  /** Where there is the admin alone; undefined if there is no such place. */
  readonly adminOrigin: string | undefined;
  /** Whether the scripts of articles may run in pages, which are then at `127.0.0.1`, and the admin at `localhost`. */
  readonly runsScripts: boolean;
  /** Whether articles can be stored right now; the reason where not. */
  readonly health: () => string | undefined;
  /** What /healthz?verbose says besides, to whoever has the token. */
  readonly details: () => object | Promise<object>;
  /** The token for it; undefined if nobody gets it. */
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
   * Stops accepting and resolves when every request that has arrived is answered. From the call on each answer closes
   * its connection. Clients that send or read too slowly are cut off after a while: they must not keep plugins and
   * store from ending in good order.
   */
  close(patience?: Patience): Promise<void>;
}

/** The HTTP side: the webhook first, then adapters, then /healthz, then plugins' routes, then the built site. */
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
    // Strangers decide how often that happens.
    else if (httpErrorOf(error).expose) log.debug({ reason: messageOf(error) }, 'a request was cut off');
    else log.error({ err: error }, 'a request failed');
  });
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

/** Hands a plugin what is asked for at its path and below; the path is compared as it was sent. */
function onlyBelow({ path, handler }: ServedBelow): Middleware {
  const bounded = boundedBody(MOST_SERVED_BYTES);
  return (context, next) =>
    context.path === path || context.path.startsWith(`${path}/`)
      ? bounded(context, async () => {
          await handler(context, next);
        })
      : next();
}

/** A script in an article would act for whoever is logged in, if its page were at the admin's host. */
function onlyAdminAt(host: string): Middleware {
  return (context, next) => {
    if (hostnameOf(context.get('host')) !== host || `${context.path}/`.startsWith(ADMIN_PATH)) return next();
    if (context.path !== '/') return context.throw(404, 'there is the admin alone at this host');
    context.redirect(ADMIN_PATH);
    return undefined;
  };
}

/**
 * Keeps the pages and the admin at different hosts of this machine, and so at different origins, where a script of an article
 * could act for whoever is logged in. The live check does not care: it fetches pages and runs no script.
 */
const apartFromAdmin: Middleware = (context, next) => {
  const host = context.get('host');
  const name = hostnameOf(host) ?? '';
  const isAdmin = `${context.path}/`.startsWith(ADMIN_PATH);
  if (isAdmin && name !== 'localhost' && isLoopbackName(name)) {
    if (context.method !== 'GET') context.throw(404, 'the admin is at localhost');
    context.redirect(`http://${host.replace(/^(?:\[.*\]|[^:]+)/, 'localhost')}${context.url}`);
    return undefined;
  }
  const isPage = isForBrowsers(context) && !context.path.startsWith('/-/');
  if (name !== 'localhost' || !isPage || !isLocal(context.req)) return next();
  context.set('Cache-Control', 'no-store');
  context.redirect(`http://${host.replace(/^localhost/i, '127.0.0.1')}${context.url}`);
  return undefined;
};

/** Whether what is asked for may become a page, in a window or in a frame. */
function isForBrowsers(context: Context): boolean {
  const shownIn = /^(?:document|i?frame|fencedframe|object|embed)$/;
  return shownIn.test(context.get('sec-fetch-dest')) || context.get('accept').includes('text/html');
}

/**
 * Answers for a plugin's route that throws, as JSON. `context.throw(403, 'reason')` answers 403 with its reason, and so does an
 * error of the table that is the client's, such as that of an article which is not there; any other error is logged, and the
 * answer says nothing of it.
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
      context.body = { error: 'this route failed; the log says why' };
    }
  };
}

/** The status of an error, and whether its message is meant for the client. */
function httpErrorOf(error: unknown): { readonly status: number; readonly expose: boolean } {
  if (error instanceof PressmarkError) return { status: error.status, expose: error.status < 500 };
  const { status, expose }: { status?: unknown; expose?: unknown } =
    typeof error === 'object' && error !== null ? error : {};
  if (typeof status !== 'number' || typeof expose !== 'boolean') return { status: 500, expose: false };
  return status >= 400 && status < 600 ? { status, expose } : { status: 500, expose: false };
}

/** A route that exists for other methods answers 405, with their names in `Allow`. */
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

/** What to do where a port cannot be listened on, by the system's code. */
const LISTEN_FIXES: Readonly<Record<string, string>> = {
  EACCES: 'choose a port above 1023, or allow this user to listen on it',
  EADDRNOTAVAIL: 'set host to an address of this machine, or leave it out',
  ENOTFOUND: 'set host to an address of this machine, or leave it out',
};

/**
 * Tries whether a port can be listened on.
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

/** Lets a server listen. @throws PressmarkError PORT_UNAVAILABLE */
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
