import test from 'ava';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);
const whole = JSON.stringify(envelope('article.published', article()));

const BODIES = {
  'an empty body': '',
  'white space': ' \n ',
  'a cut-off body': whole.slice(0, -1),
  'something behind the end': `${whole}x`,
  'two documents': whole + whole,
  'a comment': `/* hello */${whole}`,
  'single quotes': "{'event':'article.published'}",
  'a raw line break in a text': '{"event":"article.\npublished"}',
  NaN: '{"event":NaN}',
  'form fields': 'event=article.published',
  'a byte order mark': `\ufeff${whole}`,
  'null alone': 'null',
  'true alone': 'true',
  'a number alone': '42',
  'a text alone': '"article.published"',
  'a list': `[${whole}]`,
  'a list nested 400,000 levels deep': '['.repeat(400_000) + ']'.repeat(400_000),
  'a list nested 400,000 levels deep and never closed': '['.repeat(400_000),
  'objects nested 160,000 levels deep': `${'{"a":'.repeat(160_000)}1${'}'.repeat(160_000)}`,
};

for (const [name, body] of Object.entries(BODIES)) {
  test(name, async (t) => {
    const { status, json } = await receiver().raw(body);
    t.is(status, 400);
    t.true(json.error.length > 0 && json.error.length <= 200);
  });
}

test('data nested 400,000 levels deep', async (t) => {
  const deep = '['.repeat(400_000) + ']'.repeat(400_000);
  for (const field of ['data', 'timestamp', 'event']) {
    const body = JSON.stringify({ ...envelope('article.published', article()), [field]: 0 }).replace(
      `"${field}":0`,
      `"${field}":${deep}`,
    );
    const { status, json } = await receiver().raw(body);
    t.is(status, 400);
    t.true(json.error.includes(field));
  }
});

test.after('the receiver is well', async (t) => {
  t.is((await fetch(`${receiver().origin}/healthz`)).status, 200);
});
