import test from 'ava';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { signature } from '../../support/signer.js';

const receiver = sharedReceiver(test, STORE_ONLY);

for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  for (const path of ['/webhook', '/webhook/']) {
    test(`${method} ${path}`, async (t) => {
      const body = method === 'GET' || method === 'HEAD' ? null : '{}';
      const headers = { 'X-Service-Signature': signature(body ?? '') };
      const response = await fetch(receiver().origin + path, { method, body, headers });
      t.is(response.status, 405);
      t.is(response.headers.get('allow'), 'POST');
      const text = await response.text();
      if (method !== 'HEAD') t.regex(JSON.parse(text).error, /POST/);
    });
  }
}
