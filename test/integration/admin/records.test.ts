import test from 'ava';
import { adminOf } from '../../support/admin.js';
import { article, testData, update } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { until } from '../../support/until.js';

// Lists, filters and the dry run are in test/e2e/admin-records.

const shared = sharedHere(test, { storeOnly: true });

test('deliveries are shown as they came, but for what could be used to send them again', async (t) => {
  const receiver = shared();
  const editor = await adminOf(receiver, { role: 'editor' });
  const get = async (path: string) => (await editor.get(path)).text;
  /** The keys of the deliveries that a list shows. */
  const keysOn = async (path: string) =>
    [...(await get(path)).matchAll(/deliveries\/one\?key=([\w-]+)/g)].map(([, key = '']) => key);
  const data = article({ id: 'soil', title: 'Soil & <b>clay</b>' });
  const { json, text } = await receiver.post('article.published', data);
  await receiver.post('webhook.test', testData());
  const target = { target_id: 'soil', target_url: json.url, base_revision_id: 'not that one' };
  await receiver.post('article.updated', update(target));
  await receiver.raw('{"unverified":1}', { 'X-Service-Signature': signature('x', SECRET) });
  await until('all are listed', async () => (await keysOn('deliveries')).length === 3);
  const [refused, ...others] = await keysOn('deliveries?status=409&event=article.updated');
  t.deepEqual(others, []);
  t.regex(await get(`deliveries/one?key=${refused}`), /href="[^"]*articles\/article\?id=soil"/);
  await until('the request that was not verified is counted', async () =>
    /SIGNATURE_MISMATCH/.test(await get('deliveries')),
  );

  const [key = ''] = await keysOn('deliveries?q=soil&event=article.published');
  const page = await get(`deliveries/one?key=${key}`);
  t.true(page.includes(text.replaceAll('"', '&quot;')) || page.includes(text.replaceAll('"', '&#34;')));
  t.regex(page, /Soil &amp; &lt;b&gt;clay/);
  t.regex(page, /<time datetime="\d{4}-/);
  t.regex(page, /x-service-event<\/dt><dd>article\.published/i);
  t.false(page.includes(signature('x', SECRET)));
  t.regex(page, /x-service-signature<\/dt><dd><span/i);
  const raw = await editor.get(`deliveries/body?key=${key}`);
  t.like(JSON.parse(raw.text), { event: 'article.published', data: { id: 'soil' } });
  t.regex(raw.headers.get('content-type') ?? '', /^application\/octet-stream/);
  for (const missing of ['deliveries/one', 'deliveries/one?key=x', 'deliveries/body?key=../../etc/passwd'])
    t.is((await editor.get(missing)).status, 404, missing);
});
