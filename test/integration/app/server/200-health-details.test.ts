import test from 'ava';
import { ask } from '../../../support/ask.js';
import { STATUS_TOKEN } from '../../../support/receiver.js';
import { sharedPreview } from './preview-server.js';

const server = sharedPreview(test);

const health = async (headers: Record<string, string>) =>
  JSON.parse((await ask(server.origin, '/healthz?verbose', { headers })).text) as unknown;

const DETAILS = { ok: true, durability: 'disk' };

test('/healthz?verbose has details for whoever has the token, and for nobody else', async (t) => {
  t.deepEqual(await health({ Authorization: `Bearer ${STATUS_TOKEN}` }), DETAILS);
  t.deepEqual(await health({ Host: 'example.com', Authorization: `Bearer ${STATUS_TOKEN}` }), DETAILS);
  // From this machine, as a proxy hands on what strangers send.
  t.deepEqual(await health({}), { ok: true });
  t.deepEqual(await health({ Host: 'localhost' }), { ok: true });
  for (const token of ['', 'wrong', `${STATUS_TOKEN}x`, STATUS_TOKEN.slice(1)])
    t.deepEqual(await health({ Authorization: `Bearer ${token}` }), { ok: true }, token);
});

test('405-healthz: /healthz answers GET and HEAD alone', async (t) => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS']) {
    const answer = await fetch(`${server.origin}/healthz`, { method });
    t.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], method);
    t.is(await answer.text(), `{"error":"${method} is not allowed here; use GET or HEAD"}`);
  }
  t.is((await fetch(`${server.origin}/healthz`, { method: 'HEAD' })).status, 200);
});
