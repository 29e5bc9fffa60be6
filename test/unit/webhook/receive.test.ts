import fs from 'node:fs';
import test from 'ava';
import { DEFAULT_SERVICE, headerNames } from '../../../src/contract/service.js';
import type { Surroundings } from '../../../src/webhook/handler.js';
import { createReceiver } from '../../../src/webhook/receive.js';
import { signature } from '../../support/signer.js';

const SECRET = 'a secret of the service';

/** A signed delivery that is answered without a store, with a message of this length. */
function deliver(length: number): Promise<unknown> {
  const data = { id: 'test-1', message: 'a'.repeat(length), capabilities: [] };
  const body = Buffer.from(
    JSON.stringify({ event: 'webhook.test', contract_version: 2, timestamp: '2026-11-19T08:00:00Z', data }),
  );
  const headers = { 'x-service-signature': signature(body, SECRET) };
  return createReceiver(
    () => [SECRET],
    headerNames(DEFAULT_SERVICE),
    {} as unknown as Surroundings,
  )({ body, headers });
}

test('after a long body was read, other work that is ready goes first', async (t) => {
  const order = (length: number) =>
    new Promise<string[]>((resolve, reject) => {
      const order: string[] = [];
      const done = (what: string) => order.push(what) === 2 && resolve(order);
      // Where the system's answers arrive, as requests do.
      fs.stat('.', () => {
        setImmediate(() => setImmediate(() => done('other work')));
        deliver(length).then(() => done('delivery'), reject);
      });
    });
  t.deepEqual(await order(100_000), ['other work', 'delivery']);
  t.deepEqual(await order(100), ['delivery', 'other work']);
});
