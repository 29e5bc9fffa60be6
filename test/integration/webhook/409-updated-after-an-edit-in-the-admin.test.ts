import test from 'ava';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { publishForUpdate } from '../../support/client.js';
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
for (const [what, fields] of Object.entries({
  title: { title: 'Housing bees' },
  description: { description: 'In one sentence.' },
  tags: { tags: ['bees', 'roofs'] },
  author: { author: 'Ada' },
  image: { image: null },
  text: { body: 'Out of the rain.' },
}))
  test.serial(
    `409-updated-after-an-edit-in-the-admin: another ${what} makes an update stale, and one that is made from the edit succeeds`,
    async (t) => {
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
      t.like(await articles.get(data.id), {
        revision,
        ...fields,
        ...(what === 'text' && { body: `Out of the rain.\n<!-- svc:item:${data.id} -->` }),
      });

      const target = await receiver.find(request.target_url);
      t.is(target.revision_id, revision);
      const { post } = receiver;
      t.is((await post('article.updated', { ...request, base_revision_id: revision })).status, 200);
    },
  );

test.serial(
  '409-updated-after-an-edit-in-the-admin: hold and release change the revision, too',
  async (t) => {
    const data = article();
    const { request } = await publishForUpdate(receiver, data);
    const articles = articlesOf(receiver);
    await articles.setStateBy(data.id, 'held', undefined, ADA);
    t.is((await receiver.post('article.updated', request)).status, 409);
    const { revision } = await articles.setStateBy(data.id, 'live', undefined, ADA);
    t.is((await receiver.post('article.updated', request)).status, 409);
    const { post } = receiver;
    t.is((await post('article.updated', { ...request, base_revision_id: revision })).status, 200);
  },
);

test.serial(
  '409-updated-after-an-edit-in-the-admin: an edit from a revision that an update has replaced changes nothing',
  async (t) => {
    const data = article();
    const { request } = await publishForUpdate(receiver, data);
    const articles = articlesOf(receiver);
    t.is((await receiver.post('article.updated', request)).status, 200);
    const refused = await t.throwsAsync(
      articles.edit(data.id, request.base_revision_id, { title: 'Late' }, ADA),
    );
    t.like(refused, { code: 'REVISION_CONFLICT', details: { current_revision_id: request.revision_id } });
    t.like(await articles.get(data.id), { title: request.title, revision: request.revision_id });
  },
);
