import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

for (const title of ['', '   ', '\n\t']) {
  test(`a title of ${JSON.stringify(title)} is stored as a placeholder, so that a lookup can answer`, async (t) => {
    const data = article({ title });
    const { status, json } = await receiver().post('article.published', data);
    t.is(status, 200);
    t.is(readStored(fileOf(receiver().dir, data.id)).article.title, 'Untitled');
    t.is((await receiver().find(json.url)).title, 'Untitled');
  });
}
