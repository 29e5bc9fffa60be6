import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { sharedReceiver } from '../../support/receiver.js';

// A receiver far from Greenwich: where an article lies must not depend on where the server stands.
const receiver = sharedReceiver(test, { storeOnly: true, env: { TZ: 'America/Los_Angeles' } });

const FOLDERS: [published_at: string, folder: string][] = [
  ['2026-11-19T08:00:00Z', '2026/11'],
  ['2026-11-19T08:00:00.123456789Z', '2026/11'],
  ['2026-11-19t08:00:00z', '2026/11'],
  ['2026-12-01', '2026/12'],
  ['2026-11-30T23:30:00', '2026/11'],
  ['2026-11-30T23:30', '2026/11'],
  ['2026-12-01T00:30:00+01:00', '2026/11'],
  ['2026-11-30T23:30:00-01', '2026/12'],
  ['2026-12-01T08:00:00,5+0000', '2026/12'],
];

for (const [published_at, folder] of FOLDERS) {
  test(`published at ${published_at}`, async (t) => {
    const data = article({ published_at });
    const answer = await receiver().post('article.published', data, {
      envelope: { timestamp: published_at },
    });
    t.is(answer.status, 200, answer.text);
    const path = fileOf(receiver().dir, data.id);
    t.true(path.includes(`/articles/${folder}/`), path);
    t.is(readStored(path).article.date, published_at);
  });
}
