import test from 'ava';
import { DEFAULT_SERVICE, headerNames } from '../../../src/contract/service.js';
import type { Surroundings } from '../../../src/webhook/handler.js';
import { readDelivery } from '../../../src/webhook/read-delivery.js';
import { createReceiver } from '../../../src/webhook/receive.js';
import { signature } from '../../support/signer.js';

const SECRET = 'a secret of the service';

/** Delivers a signed connection test with a message of this length. @returns the answer, and how often a body was read elsewhere. */
async function deliver(length: number) {
  const data = { id: 'test-1', message: 'a'.repeat(length), capabilities: [] };
  const body = Buffer.from(
    JSON.stringify({ event: 'webhook.test', contract_version: 2, timestamp: '2026-11-19T08:00:00Z', data }),
  );
  let elsewhere = 0;
  const readLong: Surroundings['readLong'] = async (...args) => {
    elsewhere++;
    return readDelivery(...args);
  };
  const receive = createReceiver({ now: () => [SECRET], reread: () => false }, headerNames(DEFAULT_SERVICE), {
    readLong,
  } as unknown as Surroundings);
  const { status } = await receive({ body, headers: { 'x-service-signature': signature(body, SECRET) } });
  return { status, elsewhere };
}

test('a long body is read away from the thread that answers', async (t) => {
  t.deepEqual(await deliver(100_000), { status: 200, elsewhere: 1 });
  t.deepEqual(await deliver(100), { status: 200, elsewhere: 0 });
});

test('a signature that matches no secret is compared once more where there are others since', async (t) => {
  let secrets = ['an older secret'];
  let looks = 0;
  const reread = () => {
    looks++;
    secrets = [SECRET];
    return looks === 1;
  };
  const receive = createReceiver({ now: () => secrets, reread }, headerNames(DEFAULT_SERVICE), {
    readLong: readDelivery,
    log: { error: () => t.fail() },
  } as unknown as Surroundings);
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
