import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

const IDS = [
  'true',
  'null',
  '~',
  '123',
  '0123',
  '1e3',
  '0x1F',
  '.nan',
  '2026-11-19',
  '12:30:45',
  '---',
  '--- # no fence',
  '...',
  ' ',
  ' leading and trailing ',
  '"quoted"',
  "it's",
  '- item',
  'key: value',
  '# comment',
  '*alias',
  '!!js/function "x"',
  '{{ template }}',
  '<!-- svc:item:x -->',
  '__proto__',
  'constructor',
  'a\\b\\u0041',
  '../../etc/passwd',
  'line\nfeed',
  'carriage\r\nreturn',
  'tab\tbed',
  'nul\u0000byte',
  'escape\u001b[31m',
  'separator\u2028here',
  'next\u0085line',
  '\ufeffmark',
  'delete\u007f',
  'not a character \uffff',
  '😀 and 🏳️‍🌈',
  'e\u0301',
  '\u00e9',
  'i'.repeat(2_000),
  '\nid: "another"\n---\n',
];

test('every id comes back exactly: in answers, lookups, redeliveries, and after a restart', async (t) => {
  const first = await startReceiver(t, STORE_ONLY);
  const { dir } = first;
  const urls = new Map<string, string>();
  for (const id of IDS) {
    const answer = await first.post('article.published', article({ id }));
    t.is(answer.status, 200, `${JSON.stringify(id)}: ${answer.text}`);
    t.is(answer.json.id, id);
    t.is((await first.find(answer.json.url)).id, id);
    urls.set(id, answer.json.url);
  }
  t.is(new Set(urls.values()).size, IDS.length);
  t.is(await first.stop(), 0);

  const second = await startReceiver(t, { dir });
  for (const [id, url] of urls) {
    t.is((await second.find(url)).id, id, JSON.stringify(id));
    const again = await second.post('article.published', article({ id }));
    t.deepEqual([again.json.id, again.json.url], [id, url], JSON.stringify(id));
  }
  t.is(articleFiles(dir).length, IDS.length);
});
