import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { within } from '../../time-limit.js';
import { invalid } from '../invalid.js';
import { asPlugin } from '../plugin-code.js';

/** Below this, plugins have their routes. */
const ROUTES_PATH = '/-/';

/** Below this, the admin has its pages. */
export const ADMIN_PATH = `${ROUTES_PATH}admin/`;

/** How long a route may take until it knows its answer, in milliseconds; a stream that it answers may go on. */
const LONGEST_MS = 25_000;

/**
 * A router for the routes of one plugin, below `/-/<its name>/`. They find JSON and forms in `context.request.body`.
 *
 * @param longestMs how long a route may take until it knows its answer. @default 25 s
 */
export async function createRoutes(plugin: string, longestMs = LONGEST_MS): Promise<Router> {
  // Loaded where they are needed: most sites have no plugin with routes.
  const [{ default: KoaRouter }, { bodyParser }] = await Promise.all([
    import('@koa/router'),
    import('@koa/bodyparser'),
  ]);
  const router = new KoaRouter({ prefix: `${ROUTES_PATH}${plugin}` });
  router.use((_context, next) => asPlugin(plugin, next));
  router.use(bodyParser({ enableTypes: ['json', 'form'], onError: refuseBody }));
  router.use((context, next) =>
    within(longestMs, next(), () => {
      throw new Error(`${context.method} ${context.path} has no answer after ${longestMs / 1_000} s`);
    }),
  );
  return router;
}

/** What cannot be parsed is the client's fault; other errors say themselves whose they are. */
function refuseBody(error: Error, context: Context): never {
  if ('expose' in error) throw error;
  return context.throw(400, `the body cannot be parsed: ${error.message}`);
}

/** What a plugin answers without routes. */
export interface ServedBelow {
  /** Such as `/-/admin`: everything there and below. */
  readonly path: string;
  readonly handler: Middleware;
}

/** @param run runs code of the plugin. */
export function servedBy(plugin: string, handler: Middleware, run: <T>(call: () => T) => T): ServedBelow {
  return {
    path: `${ROUTES_PATH}${plugin}`,
    handler: (context, next) => run(async () => handler(context, next)),
  };
}

/** Ends the adding of routes: what is served must not change while it is served. @throws PressmarkError if one leads elsewhere */
export function sealRoutes(router: Router, plugin: string): void {
  const own = `${ROUTES_PATH}${plugin}/`;
  const elsewhere = routesIn(router).find(
    (route) => !`${route.slice(route.indexOf(' ') + 1)}/`.startsWith(own),
  );
  if (elsewhere !== undefined)
    throw invalid(
      `plugin ${plugin}: its route ${elsewhere} is not below ${own}; write its path as a text, and leave the prefix of the router as it is`,
    );
  router.register = () => {
    throw invalid('a route was added after the start; add routes in receiver(host)');
  };
}

/** The routes of a router, such as `GET /-/announce/list`. */
export function routesIn({ stack }: Router): string[] {
  return stack.flatMap(({ methods, path }) =>
    // `get` also answers HEAD, and what has no methods is not a route.
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
}
