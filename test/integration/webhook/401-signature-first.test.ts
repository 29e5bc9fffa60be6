import test from 'ava';
import { envelope, testData } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const BODIES: Record<string, string | Uint8Array> = {
  nothing: '',
  'no JSON': 'hello',
  'no UTF-8': Uint8Array.of(0xff, 0xfe, 0x00),
  'an unknown event': JSON.stringify(envelope('article.deleted', {})),
  'an unknown article': JSON.stringify(
    envelope('article.lookup', { target_url: 'https://garden.example/x' }),
  ),
  'a wrong version': JSON.stringify({ ...envelope('webhook.test', testData()), contract_version: 9 }),
  'a test': JSON.stringify(envelope('webhook.test', testData())),
};

for (const [name, body] of Object.entries(BODIES)) {
  test(`without a signature, a body with ${name} is a 401 and nothing more is said`, async (t) => {
    const missing = await receiver().raw(body, { 'X-Service-Signature': undefined });
    const wrong = await receiver().raw(body, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` });
    t.deepEqual([missing.status, wrong.status], [401, 401]);
    t.notRegex(missing.json.error + wrong.json.error, /JSON|UTF|event|article|version/i);
  });
}
