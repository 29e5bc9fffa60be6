import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import Koa from 'koa';
import { createRoutes, sealRoutes } from '../../../src/host/http/routes.js';

async function* slowly() {
  yield 'first ';
  await wait(100);
  yield 'last';
}

test('a route that never answers is a failure that names it, and one that answers a stream is none', async (t) => {
  const router = await createRoutes('stuck', 50);
  router.get('/never', () => new Promise(() => undefined));
  router.get('/stream', (context) => {
    context.body = Readable.from(slowly());
  });
  const app = new Koa().use(router.routes());
  const errors: string[] = [];
  app.on('error', ({ message }: Error) => errors.push(message));
  const server = app.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/-/stuck`;
  t.is((await fetch(`${at}/never`)).status, 500);
  t.deepEqual(errors, ['GET /-/stuck/never has no answer after 0.05 s']);
  t.is(await (await fetch(`${at}/stream`)).text(), 'first last');
});

test('a route of a plugin is below its own path, and none is added after the start', async (t) => {
  const nothing = () => undefined;
  for (const [route, add] of [
    ['GET /.*/', (router) => router.get(/.*/, nothing)],
    ['GET /webhook/mine', (router) => router.get('/mine', nothing).prefix('/webhook')],
    [
      'DELETE /healthz',
      (router) => {
        router.opts.prefix = '';
        router.del('/healthz', nothing);
      },
    ],
  ] as readonly (readonly [string, (router: Awaited<ReturnType<typeof createRoutes>>) => unknown])[]) {
    const router = await createRoutes('x');
    add(router);
    const message = `plugin x: its route ${route} is not below /-/x/; write its path as a text, and leave the prefix of the router as it is`;
    t.throws(() => sealRoutes(router, 'x'), { code: 'PLUGIN_INVALID', message });
  }
  const router = await createRoutes('x');
  sealRoutes(router, 'x');
  t.throws(() => router.get('/late', nothing), { message: /added after the start/ });
});
