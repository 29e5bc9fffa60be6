import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { within } from '../../time-limit.js';
import { invalid } from '../invalid.js';
import { asPlugin } from '../plugin-code.js';

/** The path of the plugins' routes. */
const ROUTES_PATH = '/-/';

/** The path of the admin's pages. */
export const ADMIN_PATH = `${ROUTES_PATH}admin/`;

/** How long a route may take to begin its answer, in milliseconds. A streamed body may take longer. */
const LONGEST_MS = 25_000;

/**
 * Creates a router for one plugin, below `/-/<its name>/`. JSON and forms are parsed into `context.request.body`.
 *
 * @param longestMs how long a route may take to begin its answer. @default 25 s
 */
export async function createRoutes(plugin: string, longestMs = LONGEST_MS): Promise<Router> {
  // Loaded on demand: most sites have no plugin with routes.
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

/** A body that cannot be parsed is the client's fault; other errors carry their own status. */
function refuseBody(error: Error, context: Context): never {
  if ('expose' in error) throw error;
  return context.throw(400, `the body cannot be parsed: ${error.message}`);
}

/** A path that a plugin answers with a middleware. */
export interface ServedBelow {
  /** Such as `/-/admin`: this path and everything below it. */
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

/**
 * Ends the registration of routes, which must not change while the server runs. @throws PressmarkError if a route is outside
 * the plugin's path
 */
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
    // `get` also adds HEAD, and a layer without methods is not a route.
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`),
  );
}
