import test from 'ava';
import { DEFAULT_SERVICE, headerNames } from '../../../src/contract/service.js';
import type { HandlerContext } from '../../../src/webhook/events/handler.js';
import { readDelivery } from '../../../src/webhook/events/read-delivery.js';
import { createReceive } from '../../../src/webhook/receive.js';
import { signature } from '../../support/signer.js';

const SECRET = 'a secret of the service';

test('a signature that matches no secret is compared once more where there are others since', async (t) => {
  let secrets = ['an older secret'];
  let looks = 0;
  const reread = () => {
    looks++;
    secrets = [SECRET];
    return looks === 1;
  };
  const receive = createReceive({ now: () => secrets, reread }, headerNames(DEFAULT_SERVICE), {
    readDelivery: async (...args: Parameters<HandlerContext['readDelivery']>) => readDelivery(...args),
    log: { error: () => t.fail() },
  } as unknown as HandlerContext);
  const data = { id: 'test-1', message: 'a', capabilities: [] };
  const body = Buffer.from(
    JSON.stringify({ event: 'webhook.test', contract_version: 2, timestamp: '2026-11-19T08:00:00Z', data }),
  );
  const statusOf = async (secret: string) =>
    (await receive({ body, headers: { 'x-service-signature': signature(body, secret) } })).status;
  t.is(await statusOf(SECRET), 200);
  t.is(await statusOf(SECRET), 200);
  t.is(looks, 1);
  t.is(await statusOf('a wrong secret'), 401);
  t.is(looks, 2);
});
