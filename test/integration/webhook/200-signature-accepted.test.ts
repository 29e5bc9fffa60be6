import test from 'ava';
import { envelope, testData } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';
import { signature } from '../../support/signer.js';

const BODY = JSON.stringify(envelope('webhook.test', testData()));

test('upper-case hex is accepted, though the service sends lower case', async (t) => {
  const { raw } = await startReceiver(t, STORE_ONLY);
  const header = signature(BODY);
  for (const form of [header, header.toUpperCase(), `sha256=${header.slice(7).toUpperCase()}`])
    t.is((await raw(BODY, { 'X-Service-Signature': form })).status, 200);
});

test('while a secret is being rotated, several are live, and only they', async (t) => {
  const { raw } = await startReceiver(t, {
    env: { PRESSMARK_SECRET: 'the-new-secret-123456, the-old-secret-123456' },
  });
  const statusOf = async (secret: string) =>
    (await raw(BODY, { 'X-Service-Signature': signature(BODY, secret) })).status;
  t.is(await statusOf('the-new-secret-123456'), 200);
  t.is(await statusOf('the-old-secret-123456'), 200);
  t.is(await statusOf('a-third-secret-123456'), 401);
  t.is(await statusOf('the-new-secret-123456, the-old-secret-123456'), 401);
  t.is(await statusOf(''), 401);
});
