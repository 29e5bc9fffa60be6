import test from 'ava';
import { article } from '../../support/events.js';
import { SITE_URL, STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

test('articles with one slug get numbers, also when all come at once', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => receiver().post('article.published', article({ slug: 'namesake' }))),
  );
  const expected = Array.from({ length: 12 }, (_, n) => (n === 0 ? 'namesake' : `namesake-${n + 1}`));
  t.deepEqual(
    answers.map(({ json }) => json.url).sort(),
    expected.map((slug) => `${SITE_URL}/articles/${slug}/`).sort(),
  );
});

test('one URL is one article, also across months', async (t) => {
  const urls = [];
  for (const published_at of ['2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z']) {
    const { json } = await receiver().post('article.published', article({ slug: 'monthly', published_at }));
    urls.push(json.url);
  }
  t.deepEqual(urls, [`${SITE_URL}/articles/monthly/`, `${SITE_URL}/articles/monthly-2/`]);
});
