import test from 'ava';
import { type AdminClient, adminOf } from '../../support/admin.js';
import { article, testData, update } from '../../support/events.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const dir = makeTempDir();
let receiver: ReceiverHere;
let ada: AdminClient;
let editor: AdminClient;

test.serial.before(async () => {
  receiver = await launchHere(dir, { config: { git: false, site: { search: false } } });
  ada = await adminOf(receiver, { name: 'Ada', role: 'admin' });
  editor = await adminOf(receiver, { name: 'Bo', role: 'editor' });
});
test.after.always(async () => {
  await receiver.close();
  removeTempDir(dir);
});

const get = async (path: string, as = editor) => (await as.get(path)).text;

/** The keys of the deliveries that a list shows. */
async function keysOn(path: string): Promise<string[]> {
  return [...(await get(path)).matchAll(/deliveries\/one\?key=([\w-]+)/g)].map(([, key = '']) => key);
}

test.serial('before the first delivery, the lists say what to do', async (t) => {
  t.regex(await get('deliveries'), /pressmark send/);
  t.regex(await get('builds', ada), /class="empty"/);
});

test.serial(
  'deliveries are listed, filtered and shown as they came, and one can be repeated as a dry run',
  async (t) => {
    const data = article({ id: 'soil', title: 'Soil & <b>clay</b>' });
    const { json, text } = await receiver.post('article.published', data);
    await receiver.post('webhook.test', testData());
    const target = { target_id: 'soil', target_url: json.url, base_revision_id: 'not that one' };
    await receiver.post('article.updated', update(target));
    await receiver.raw('{"unverified":1}', { 'X-Service-Signature': signature('x', SECRET) });
    await until('all are listed', async () => (await keysOn('deliveries')).length === 3);
    t.is((await keysOn('deliveries?q=soil')).length, 1);
    t.is((await keysOn('deliveries?event=webhook.test')).length, 1);
    t.is((await keysOn('deliveries?status=refused')).length, 1);
    t.is((await keysOn('deliveries?status=409&event=article.updated')).length, 1);
    t.is((await keysOn('deliveries?q=&event=&status=')).length, 3);
    t.deepEqual(await keysOn('deliveries?q=nothing+like+it'), []);
    t.regex(await get('deliveries?q=nothing+like+it'), /class="empty"/);
    await until('the request that was not verified is counted', async () =>
      /SIGNATURE_MISMATCH/.test(await get('deliveries')),
    );

    const [key = ''] = await keysOn('deliveries?q=soil');
    const page = await get(`deliveries/one?key=${key}`);
    t.true(page.includes(text.replaceAll('"', '&quot;')) || page.includes(text.replaceAll('"', '&#34;')));
    t.regex(page, /Soil &amp; &lt;b&gt;clay/);
    t.regex(page, /x-service-event<\/dt><dd>article\.published/i);
    t.false(page.includes(signature('x', SECRET)));
    t.regex(page, /x-service-signature<\/dt><dd><span/i);
    const raw = await editor.get(`deliveries/body?key=${key}`);
    t.like(JSON.parse(raw.text), { event: 'article.published', data: { id: 'soil' } });
    t.regex(raw.headers.get('content-type') ?? '', /^application\/octet-stream/);
    const dry = await get(`deliveries/one?key=${key}&dry=1`);
    t.regex(dry, /known<\/p>/);
    t.notRegex(dry, /data-live/, 'it is not run again and again');
    await until('what followed is shown', async () =>
      /id="after" data-live="5"[\s\S]*content\/articles\/[^<]*\.md/.test(
        await get(`deliveries/one?key=${key}`),
      ),
    );

    for (const missing of ['deliveries/one', 'deliveries/one?key=x', 'deliveries/body?key=../../etc/passwd'])
      t.is((await editor.get(missing)).status, 404, missing);
  },
);

test.serial(
  'builds are listed with their output, and an admin has the site built; an editor may not',
  async (t) => {
    const builds = async () => [...(await get('builds', ada)).matchAll(/builds\/one\?at=([^"]+)/g)];
    await until('the first build is listed', async () => (await builds()).length > 0);
    const before = (await builds()).length;
    const asked = await ada.post('builds', { do: 'build' });
    t.is(asked.status, 303);
    await until('the build that was asked for is listed', async () => (await builds()).length > before);
    const [[, at] = []] = await builds();
    const one = await ada.get(`builds/one?at=${at}`);
    t.is(one.status, 200);
    t.is((await ada.get('builds/one?at=x')).status, 404);
    for (const path of ['builds', 'git', `builds/one?at=${at}`, 'git/replaced?file=x'])
      t.is((await editor.get(path)).status, 403, path);
    t.is((await editor.post('builds', { do: 'build' })).status, 403);
    t.is((await ada.get('git/replaced?file=../push.json')).status, 404);
    t.regex(await get('git', ada), /git: false/);
  },
);

test.serial('deliveries: the id leads to the article, to the trash, or nowhere', async (t) => {
  const { json } = await receiver.post('article.published', article({ id: 'compost' }));
  const leadsTo = async () => {
    const [key = ''] = await keysOn('deliveries?q=compost');
    return /<a href="([^"]*)">compost<\/a>/.exec(await get(`deliveries/one?key=${key}`))?.[1];
  };
  await until('the delivery is listed', async () => (await keysOn('deliveries?q=compost')).length === 1);
  t.is(await leadsTo(), '/-/admin/articles/article?id=compost');
  const { revision_id: base } = await receiver.find(json.url);
  t.is((await ada.post('articles/article?id=compost', { do: 'trash', base })).status, 303);
  t.is(await leadsTo(), '/-/admin/articles/trash');
  t.is((await ada.post('articles/trash', { do: 'delete', id: 'compost' })).status, 303);
  t.is(await leadsTo(), undefined);
});
