import test from 'ava';
import { ask } from '../../../support/ask.js';
import { STATUS_TOKEN, sharedPreview } from './preview-server.js';

const server = sharedPreview(test);

const health = async (headers: Record<string, string>) =>
  JSON.parse((await ask(server.origin, '/healthz?verbose', { headers })).text) as unknown;

const DETAILS = { ok: true, durability: 'disk' };

test('/healthz?verbose has details for this machine, and none for others', async (t) => {
  t.deepEqual(await health({}), DETAILS);
  t.deepEqual(await health({ 'X-Forwarded-For': '198.51.100.7' }), { ok: true });
  t.deepEqual(await health({ Host: 'example.com' }), { ok: true });
});

test('/healthz?verbose has details for whoever has the token', async (t) => {
  const Host = 'example.com';
  t.deepEqual(await health({ Host, Authorization: `Bearer ${STATUS_TOKEN}` }), DETAILS);
  for (const token of ['', 'wrong', `${STATUS_TOKEN}x`, STATUS_TOKEN.slice(1)])
    t.deepEqual(await health({ Host, Authorization: `Bearer ${token}` }), { ok: true }, token);
});
