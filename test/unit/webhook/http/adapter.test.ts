import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { pino } from 'pino';
import { type ErrorCode, PressmarkError } from '../../../../src/errors.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { type Adapter, checkedAdapter } from '../../../../src/host/http/adapter.js';
import { adapterEndpoint } from '../../../../src/webhook/http/adapter.js';
import { createBodyReader } from '../../../../src/webhook/http/body-reader.js';
import { until } from '../../../support/until.js';

const log = pino({ level: 'silent' });
const FOREVER = 3_600_000;
const endless = () => new Promise<never>(() => undefined);

/** Sends `[]` to an adapter of a plugin. An article whose title is an error code fails with it, or is not foreseen. */
async function answerOf(
  t: ExecutionContext,
  over: Partial<Adapter>,
  { limit = FOREVER, method = 'POST', hooks = createHooks(log, { face: 'receiver' }) } = {},
) {
  const given = {
    path: '/inlet',
    ...(over.auth === undefined && { verify: () => true }),
    ...(over.routes === undefined && { receive: () => [] }),
    ...over,
  };
  const secrets = { KEYS: 'ada:abcd EFGH, bo:other' };
  const endpoint = adapterEndpoint(checkedAdapter('inlet', given, secrets, new Map()), {
    receive: async ({ id, title }) => {
      if (title === 'TypeError') throw new TypeError('inside');
      if (title !== '') throw new PressmarkError(title as ErrorCode, `${id} has failed`);
      return { id, url: `https://a.example/${id}/`, outcome: 'stored' };
    },
    noteAnswer: () => undefined,
    readBody: createBodyReader(),
    readJson: async (body) => JSON.parse(body.toString()),
    hooks,
    log,
    limitsMs: { verify: limit, parse: limit, receive: limit },
  });
  const server = http.createServer(new Koa().use(endpoint).callback()).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/inlet`, {
    method,
    ...(method === 'POST' && { body: '[]' }),
  });
  return {
    status: response.status,
    json: (await response.json()) as { error?: string; articles?: unknown[] },
  };
}

test('500-adapter: a function that never ends is answered when its time is up', async (t) => {
  for (const what of ['verify', 'parse', 'receive'] as const) {
    const { status, json } = await answerOf(t, { [what]: endless }, { limit: 20 });
    t.is(status, 500);
    t.is(json.error, `${what} of plugin inlet took longer than 0.02 s`);
  }
});

test('adapter: what its functions throw is answered by its kind', async (t) => {
  const throws = (error: Error) => () => {
    throw error;
  };
  const own = new PressmarkError('REVISION_CONFLICT', 'my words');
  for (const [what, plain] of [
    ['verify', 500],
    ['parse', 400],
    ['receive', 500],
  ] as const) {
    const { status, json } = await answerOf(t, { [what]: throws(new TypeError('inside')) });
    t.is(status, plain);
    if (plain === 500) t.regex(json.error ?? '', /failed: the receiver’s log says why$/);
    t.like(await answerOf(t, { [what]: throws(own) }), { status: 409, json: { error: 'my words' } });
  }
});

test('adapter: of a batch, a failure that has to come again wins over a refusal, in any order', async (t) => {
  const batch = (codes: readonly (ErrorCode | 'TypeError' | '')[]) => ({
    receive: () => codes.map((title, n) => ({ id: `n-${n}`, title, contentHtml: 'x' })),
  });
  for (const [codes, expected, words] of [
    [['REVISION_CONFLICT', 'LOCK_TIMEOUT', ''], 503, 'n-1 has failed'],
    [['LOCK_TIMEOUT', 'REVISION_CONFLICT'], 503, 'n-0 has failed'],
    [['', 'REVISION_CONFLICT', 'BODY_INVALID'], 409, 'n-1 has failed'],
    [['STORE_FAILED', 'LOCK_TIMEOUT'], 500, 'n-0 has failed'],
    [['', 'TypeError'], 500, 'the receiver failed; nothing was acknowledged, send it again'],
  ] as const) {
    const { status, json } = await answerOf(t, batch(codes));
    t.is(status, expected);
    t.is(json.error, words);
    t.is(json.articles?.length, codes.length);
  }
});

test('adapter: a request that only reads is no delivery, unless it is refused', async (t) => {
  const hooks = createHooks(log, { face: 'receiver' });
  const routes = { 'GET /': () => [], 'POST /': () => [] };
  const counts = () => [hooks.didAction('delivery.accepted'), hooks.didAction('delivery.refused')];
  t.is((await answerOf(t, { routes }, { hooks, method: 'GET' })).status, 200);
  t.deepEqual(counts(), [0, 0]);
  t.is((await answerOf(t, { routes }, { hooks })).status, 200);
  await until('the delivery is told', () => counts()[0] === 1);
  t.is((await answerOf(t, { routes, verify: () => false }, { hooks, method: 'GET' })).status, 401);
  await until('the refusal is told', () => counts()[1] === 1);
  t.deepEqual(counts(), [1, 1]);
});
