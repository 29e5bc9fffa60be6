import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const BYTES = {
  'a lone continuation byte': [0x80],
  'a cut-off sequence': [0xe2, 0x82],
  'an overlong slash': [0xc0, 0xaf],
  'a surrogate in UTF-8': [0xed, 0xa0, 0x80],
  'a code point beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
  'Latin-1': [0xe9],
};

for (const [name, bytes] of Object.entries(BYTES)) {
  test(name, async (t) => {
    const json = JSON.stringify(envelope('article.published', article({ title: 'HERE' })));
    const at = json.indexOf('HERE');
    const body = Buffer.concat([
      Buffer.from(json.slice(0, at)),
      Buffer.from(bytes),
      Buffer.from(json.slice(at + 4)),
    ]);
    const answer = await receiver().raw(body);
    t.is(answer.status, 400);
    t.regex(answer.json.error, /UTF-8/);
  });
}

test('UTF-16', async (t) => {
  const body = Buffer.from(JSON.stringify(envelope('article.published', article())), 'utf16le');
  t.is((await receiver().raw(body)).status, 400);
});

test.after('nothing was stored', (t) => {
  t.deepEqual(articleFiles(receiver().dir), []);
});
