import test from 'ava';
import { article } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

test.serial.before(async (t) => {
  const { json } = await receiver().post('article.published', article({ id: 'canon', slug: 'canon' }));
  t.is(json.url, 'https://garden.example/articles/canon/');
});

const SAME = [
  'https://garden.example/articles/canon/',
  'https://garden.example/articles/canon',
  'https://garden.example/articles/canon/#part',
  'https://garden.example/articles/canon#',
  'https://garden.example/articles/canon/#/?x=1',
  'https://GARDEN.Example/articles/canon/',
  'HTTPS://garden.example/articles/canon/',
  'https://garden.example:443/articles/canon/',
];

const OTHER = [
  'https://garden.example/articles/canon//',
  'https://garden.example//articles/canon/',
  'https://garden.example/articles//canon/',
  'https://garden.example/articles/canon/?x=1',
  'https://garden.example/articles/canon?utm_source=mail',
  'https://garden.example/articles/canon/index.html',
  'https://garden.example/articles/Canon/',
  'https://garden.example/articles/cano',
  'https://garden.example/articles/canon-2/',
  'https://garden.example/articles/c%61non/',
  'https://garden.example/articles/canon%2F',
  'https://garden.example/articles/canon/%20',
  'https://garden.example/articles/',
  'https://garden.example/',
  'https://garden.example',
  'http://garden.example/articles/canon/',
  'https://www.garden.example/articles/canon/',
  'https://garden.example:8443/articles/canon/',
  'https://garden.example.evil.example/articles/canon/',
  'https://garden.example./articles/canon/',
  'https://other.example/articles/canon/',
];

for (const target_url of SAME) {
  test(`the article: ${target_url}`, async (t) => {
    const { status, json } = await receiver().post('article.lookup', { target_url });
    t.is(status, 200);
    t.is(json.target.id, 'canon');
    t.is(json.target.url, 'https://garden.example/articles/canon/');
  });
}

for (const target_url of OTHER) {
  test(`not the article: ${target_url}`, async (t) => {
    const { status, json } = await receiver().post('article.lookup', { target_url });
    t.is(status, 404);
    t.regex(json.error, /no article/);
  });
}
