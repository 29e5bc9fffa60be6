import test from 'ava';
import { answerOf } from '../../support/client.js';
import { envelope, testData } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { signature } from '../../support/signer.js';

const receiver = sharedReceiver(test, STORE_ONLY);

for (const path of ['/webhook', '/webhook/', '/webhook?from=service', '/webhook/?from=service']) {
  test(`${path} answers itself, never by a redirect`, async (t) => {
    const body = JSON.stringify(envelope('webhook.test', testData()));
    const answer = await answerOf(
      await fetch(receiver().origin + path, {
        method: 'POST',
        body,
        redirect: 'error',
        headers: { 'X-Service-Signature': signature(body) },
      }),
    );
    t.is(answer.status, 200);
    t.is(answer.json.contract_version, 3);
  });
}

for (const path of ['/webhook//', '/Webhook', '/webhooks', '/webhook/x', '/']) {
  test(`${path} is not the webhook`, async (t) => {
    const body = JSON.stringify(envelope('webhook.test', testData()));
    const headers = { 'X-Service-Signature': signature(body) };
    const response = await fetch(receiver().origin + path, { method: 'POST', body, headers });
    t.is(response.status, 404);
  });
}
