import test from 'ava';
import { article, update } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';

test('each delivery makes one line of the log that says what became of it, and none contains the secret', async (t) => {
  const receiver = await startHere(t, { config: { site: false, git: false, logLevel: 'trace' } });
  const data = article();
  const { json } = await receiver.post('article.published', data);
  const target = { target_id: data.id, target_url: json.url, base_revision_id: 'not that one' };
  const stale = update(target);
  t.is((await receiver.post('article.updated', stale)).status, 409);
  const other = 'other-secret-other-secret-other';
  t.is((await receiver.post('article.published', article(), { secret: other })).status, 401);
  const bare = JSON.stringify({ event: SECRET });
  t.is((await receiver.raw(bare)).status, 400);
  await receiver.close();

  const told = receiver.log.filter(({ status, outcome }) => status !== undefined || outcome !== undefined);
  // In no certain order: each line comes when its connection is closed.
  const order = ['stored', 'REVISION_CONFLICT', 'SIGNATURE_MISMATCH', 'EVENT_UNSUPPORTED'];
  const rank = ({ outcome }: (typeof told)[number]) => order.indexOf(String(outcome));
  const sorted = told.toSorted((one, other) => rank(one) - rank(other));
  const lines = sorted.map(({ time, ms, ...line }) => {
    t.is(typeof time, 'number');
    t.is(typeof ms, 'number');
    t.true(Number(ms) >= 0);
    return line;
  });
  t.deepEqual(lines, [
    {
      level: 30,
      event: 'article.published',
      id: data.id,
      outcome: 'stored',
      status: 200,
      msg: 'delivery',
    },
    {
      level: 40,
      event: 'article.updated',
      id: data.id,
      outcome: 'REVISION_CONFLICT',
      status: 409,
      msg: 'delivery refused',
    },
    { level: 40, outcome: 'SIGNATURE_MISMATCH', status: 401, msg: 'delivery refused' },
    { level: 40, outcome: 'EVENT_UNSUPPORTED', status: 400, msg: 'delivery refused' },
  ]);
  const all = JSON.stringify(receiver.log);
  for (const hidden of [SECRET, other, signature(bare).replace('sha256=', '')]) t.false(all.includes(hidden));
});
