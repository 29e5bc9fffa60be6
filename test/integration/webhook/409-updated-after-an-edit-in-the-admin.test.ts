import fs from 'node:fs';
import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { publishForUpdate } from '../../support/client.js';
import { fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const dir = withCaller(makeTempDir());
let receiver: ReceiverHere;

test.serial.before(async () => {
  receiver = await launchHere(dir, STORE_ONLY);
});
test.after.always(async () => {
  await receiver.close();
  removeTempDir(dir);
});

// contract: Receiver article state. Every edit made in the receiver's own admin must also change the revision.
test.serial(
  '409-updated-after-an-edit-in-the-admin: another title, image or text makes an update stale, and one that is made from the edit succeeds',
  async (t) => {
    for (const fields of [{ title: 'Housing bees' }, { image: null }, { body: 'Out of the rain.' }]) {
      const data = article();
      const { request } = await publishForUpdate(receiver, data);
      const articles = articlesOf(receiver);
      const { revision } = await articles.edit(data.id, request.base_revision_id, fields, ADA);
      t.not(revision, request.base_revision_id);

      const stale = await receiver.post('article.updated', request);
      t.is(stale.status, 409);
      t.deepEqual(JSON.parse(stale.text), {
        error: 'Article revision conflict',
        base_revision_id: request.base_revision_id,
        current_revision_id: revision,
      });
      const body = 'body' in fields && { body: `${fields.body}\n<!-- svc:item:${data.id} -->` };
      t.like(await articles.get(data.id), { revision, ...fields, ...body });
      const { post } = receiver;
      t.is((await post('article.updated', { ...request, base_revision_id: revision })).status, 200);
    }
  },
);

test.serial(
  '409-updated-after-an-edit-in-the-admin: hold and release change the revision, too',
  async (t) => {
    const data = article();
    const { request } = await publishForUpdate(receiver, data);
    const articles = articlesOf(receiver);
    const base = request.base_revision_id;
    const { revision: held } = await articles.setStateBy(data.id, base, 'held', undefined, ADA);
    t.is((await receiver.post('article.updated', request)).status, 409);
    await t.throwsAsync(articles.setStateBy(data.id, base, 'live', undefined, ADA), {
      code: 'REVISION_CONFLICT',
    });
    const again = await articles.setStateBy(data.id, base, 'held', undefined, ADA);
    t.is(again.revision, held, 'sent a second time');
    const { revision } = await articles.setStateBy(data.id, held, 'live', undefined, ADA);
    t.is((await receiver.post('article.updated', request)).status, 409);
    const { post } = receiver;
    t.is((await post('article.updated', { ...request, base_revision_id: revision })).status, 200);
  },
);

test.serial(
  '409-updated-after-an-edit-in-the-admin: an adapter’s new content does not replace it, nor does a patch, also after a hold',
  async (t) => {
    const articles = articlesOf(receiver);
    const id = `handed-over-${Date.now()}`;
    const handOver = (over: object) =>
      articles.receive({ id, title: 'Bees', contentHtml: '<p>First.</p>', ...over });
    await handOver({});
    const first = (await articles.get(id))?.revision ?? '';
    const edited = await articles.edit(id, first, { body: 'Ada’s own words.' }, ADA);
    const hold = async () => articles.setStateBy(id, edited.revision, 'held', undefined, ADA);
    for (const change of [async () => edited, hold, async () => articles.setState(id, 'live')]) {
      const { revision } = await change();
      const refused = await t.throwsAsync(handOver({ contentHtml: '<p>Second.</p>' }));
      t.like(refused, { code: 'REVISION_CONFLICT' });
      const patched = await t.throwsAsync(articles.patch(id, revision, { body: 'A plugin’s words.' }));
      t.like(patched, { code: 'REVISION_CONFLICT' });
      t.like(await articles.get(id), { revision, body: edited.body });
      t.is((await handOver({})).outcome, 'known', 'the same again is none');
    }
  },
);

test.serial(
  '409-updated-after-an-edit-in-the-admin: an edit or an article that is sent once more is stored once, another text is not lost',
  async (t) => {
    const data = article();
    const { request } = await publishForUpdate(receiver, data);
    const articles = articlesOf(receiver);
    const base = request.base_revision_id;
    const fields = { title: 'Housing bees', body: 'Out of the rain.' };
    const { revision } = await articles.edit(data.id, base, fields, ADA);
    t.is((await articles.edit(data.id, base, fields, ADA)).revision, revision);
    await t.throwsAsync(articles.edit(data.id, base, { ...fields, title: 'Other' }, ADA));
    t.is((await articles.edit(data.id, base, fields, { name: 'Bo' })).revision, revision, 'it is there');

    const written = { title: 'Wax', description: '', tags: ['BEES', 'wax'], author: 'Ada', image: null };
    const mine = { ...written, body: 'Of *wax*.', key: '0123456789abcdef' };
    const made = await articles.create(mine, ADA);
    t.deepEqual(await articles.create(mine, ADA), made);
    await t.throwsAsync(articles.create({ ...mine, body: 'Of honey.' }, ADA), { message: /made from/ });
    t.regex((await articles.get(made.id))?.body ?? '', /^Of \*wax\*/);
    const again = { ...mine, title: 'Wax twice', key: 'fedcba9876543210' };
    const both = await Promise.allSettled([
      articles.create(again, ADA),
      articles.create({ ...again, body: 'Of honey.' }, ADA),
    ]);
    t.deepEqual(
      both.map(({ status }) => status).toSorted(),
      ['fulfilled', 'rejected'],
      'one text is not dropped',
    );
    for (const key of ['', '../0123456789abcd', '0123456789ABCDEF'])
      await t.throwsAsync(articles.create({ ...mine, key }, ADA), { message: /hexadecimal/ });
  },
);

test.serial(
  '409-updated-after-an-edit-in-the-admin: an image that was stored before there were rules stays, another one must be an address',
  async (t) => {
    const data = article();
    await receiver.post('article.published', data);
    const file = fileOf(dir, data.id);
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace(data.featured_image_url ?? 'none', '/bees.jpg'),
    );
    const articles = articlesOf(receiver);
    const now = await articles.open(data.id);
    t.is(now?.image, '/bees.jpg');
    const base = now?.revision ?? '';
    await t.throwsAsync(articles.edit(data.id, base, { title: 'Hives', image: '/other.jpg' }, ADA));
    t.like(await articles.edit(data.id, base, { title: 'Hives', image: '/bees.jpg' }, ADA), {
      title: 'Hives',
      image: '/bees.jpg',
    });
  },
);
