import test from 'ava';
import { treeOf } from '../../support/content.js';
import { testData, update } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const target_url = 'https://garden.example/articles/a/';
const DATA = {
  'webhook.test': testData(),
  'article.lookup': { target_url },
  'article.updated': update({ target_id: 'a', target_url, base_revision_id: 'r' }),
};

for (const [event, data] of Object.entries(DATA)) {
  for (const contract_version of [undefined, null, 0, 1, 3, '2', '', 2.5, true, [2], { version: 2 }]) {
    test(`${event} with contract_version ${JSON.stringify(contract_version)}`, async (t) => {
      const { status, json } = await receiver().post(event, data, { envelope: { contract_version } });
      t.is(status, 400);
      t.regex(json.error, /^contract_version must be the integer 2/);
    });
  }

  for (const header of ['1', '3', 'two', '2, 2', '02', '2.0']) {
    test(`${event} with the header X-Service-Contract: ${header}`, async (t) => {
      const headers = { 'X-Service-Contract': header };
      const { status, json } = await receiver().post(event, data, { headers });
      t.is(status, 400);
      t.regex(json.error, /^X-Service-Contract must be 2/);
    });
  }
}

test('the header may be missing, as the body is the source of truth', async (t) => {
  const headers = { 'X-Service-Contract': undefined };
  t.is((await receiver().post('webhook.test', testData(), { headers })).status, 200);
});

test.after('nothing was written', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
});
