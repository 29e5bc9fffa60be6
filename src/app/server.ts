import { createHash, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import type { Log } from '../log.js';
import { isFromThisMachine } from './local-request.js';
import { type PreviewOptions, preview } from './preview.js';
import { isClientGone } from './send-file.js';

/** How long a client may take for its headers, … */
const HEADERS_TIMEOUT_MS = 10_000;
/** … for its whole request (the service gives up after 30 s), … */
const REQUEST_TIMEOUT_MS = 25_000;
/** … and how many may be connected. */
const MAX_CONNECTIONS = 1_000;
/** Node.js looks for requests that have taken too long only every 30 s if it is not told otherwise. */
const TIMEOUTS_CHECKED_MS = 1_000;
/** How long requests in flight may take when the server closes; what follows needs time too. */
const CLOSE_MS = 4_000;

export interface ServerOptions extends PreviewOptions {
  readonly webhook: Middleware;
  /** Routes of plugins. */
  readonly router: Router | undefined;
  /** Whether articles can be stored right now; the reason where not. */
  readonly health: () => string | undefined;
  /** What /healthz?verbose has besides, for this machine and for whoever has the token. */
  readonly details: () => object;
  /** Undefined where only this machine gets the details. */
  readonly statusToken: string | undefined;
}

/** The HTTP side: the webhook first, then /healthz, then plugins' routes, then the built site. */
export function createServer({ webhook, router, health, ...options }: ServerOptions): http.Server {
  const { log } = options;
  const app = new Koa();
  app.on('error', (error: unknown) => {
    if (isClientGone(error)) log.debug({ reason: messageOf(error) }, 'a client went away');
    else log.error({ err: error }, 'a request failed');
  });
  app.use(webhook);
  app.use(healthz(health, options));
  app.use(failuresAsJson(log));
  if (router !== undefined) app.use(router.routes());
  if (options.liveReload !== undefined) app.use(options.liveReload.middleware);
  app.use(preview(options));
  const server = http.createServer({ connectionsCheckingInterval: TIMEOUTS_CHECKED_MS }, app.callback());
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** A plugin's route that throws is answered like everything else here: as JSON, without a word of the inside. */
function failuresAsJson(log: Log): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      log.error({ err: error, path: context.path }, 'a route failed');
      for (const name of context.res.getHeaderNames()) context.remove(name); // they were said of something else
      context.status = 500;
      context.body = { error: 'this route failed; the log says why' };
    }
  };
}

function healthz(
  health: () => string | undefined,
  { details, statusToken }: Pick<ServerOptions, 'details' | 'statusToken'>,
): Middleware {
  const isAllowed = (request: http.IncomingMessage) =>
    isFromThisMachine(request) ||
    (statusToken !== undefined && isSame(request.headers.authorization ?? '', `Bearer ${statusToken}`));
  return async (context, next) => {
    if (context.path !== '/healthz') return next();
    const trouble = health();
    context.status = trouble === undefined ? 200 : 503;
    const isVerbose = new URLSearchParams(context.querystring).has('verbose') && isAllowed(context.req);
    const more = isVerbose ? details() : {};
    context.body = trouble === undefined ? { ok: true, ...more } : { ok: false, error: trouble, ...more };
  };
}

/** Compares two texts in a time that does not depend on where they differ. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/**
 * Listens; resolves with the port.
 *
 * @throws PressmarkError PORT_UNAVAILABLE
 */
export function listen(server: http.Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const taken = systemCode(cause) === 'EADDRINUSE';
      const why = taken
        ? 'is in use; choose another with --port, or stop what listens there'
        : `cannot be listened on: ${messageOf(cause)}`;
      reject(new PressmarkError('PORT_UNAVAILABLE', `port ${port} ${why}`, { cause }));
    });
    server.listen({ port, ...(host !== undefined && { host }) }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}

/**
 * Stops accepting and resolves when every request in flight is answered. Kept-alive connections are closed as
 * soon as they fall idle, and those that send or read too slowly after a while: their clients must not keep
 * plugins and store from ending in good order.
 *
 * @param closeMs how long requests in flight may take.
 */
export async function closeServer(server: http.Server, closeMs = CLOSE_MS): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const slow = setTimeout(() => server.closeAllConnections(), closeMs);
  await closed;
  clearInterval(idle);
  clearTimeout(slow);
}
