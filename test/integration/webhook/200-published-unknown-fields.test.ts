import fs from 'node:fs';
import test from 'ava';
import { fileOf } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

test('unknown fields are accepted and dropped', async (t) => {
  const data = article();
  const extra = { layout: 'evil', draft: true, slug2: 'x', nested: { deep: ['<script>'] } };
  const answer = await receiver().post('article.published', { ...data, ...extra }, { envelope: extra });
  t.is(answer.status, 200);
  t.deepEqual(Object.keys(answer.json).sort(), ['id', 'received', 'url']);
  const text = fs.readFileSync(fileOf(receiver().dir, data.id), 'utf8');
  t.notRegex(text, /evil|slug2|nested/);
});

test('a field named __proto__ changes nothing', async (t) => {
  const data = article();
  const inner = JSON.stringify(data).replace('{', '{"__proto__":{"title":"polluted","extra":{"x":1}},');
  const body = JSON.stringify(envelope('article.published', null)).replace('"data":null', `"data":${inner}`);
  t.is((await receiver().raw(body)).status, 200);
  t.false(fs.readFileSync(fileOf(receiver().dir, data.id), 'utf8').includes('polluted'));
});

test('an unknown field that is nested 100,000 levels deep is dropped like any other', async (t) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const body = JSON.stringify(envelope('article.published', article())).replace('{', `{"deep":${deep},`);
  t.is((await receiver().raw(body)).status, 200);
  t.is((await fetch(`${receiver().origin}/healthz`)).status, 200);
});
