import test from 'ava';
import { debris, fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { SITE_URL, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test);

// Alone: another test's delivery on the same receiver has its own file staged meanwhile.
test.serial('an article is in its file, whole, before the answer', async (t) => {
  const data = article({ slug: 'balcony-bees' });
  const answer = await receiver().post('article.published', data);

  t.is(answer.status, 200);
  t.deepEqual(JSON.parse(answer.text), {
    received: true,
    id: data.id,
    url: `${SITE_URL}/articles/balcony-bees/`,
  });
  t.regex(answer.headers.get('content-type') ?? '', /^application\/json/);

  const path = fileOf(receiver().dir, data.id);
  t.true(path.endsWith('content/articles/2026/11/balcony-bees.md'));
  const { article: stored, edited } = readStored(path);
  t.false(edited);
  t.like(stored, {
    id: data.id,
    title: data.title,
    slug: 'balcony-bees',
    description: data.meta_description,
    keyword: data.focus_keyword,
    author: data.author,
    image: data.featured_image_url,
    date: data.published_at,
    updated: null,
    url: answer.json.url,
    jsonLd: data.json_ld,
    contentHtml: data.content_html,
    body: data.content_markdown,
  });
  t.deepEqual(stored.tags, data.tags);
  t.deepEqual(debris(receiver().dir), []);
});

test('an article without Markdown has its HTML as the body; null and empty fields stay so', async (t) => {
  const data = article({
    content_markdown: '',
    featured_image_url: null,
    tags: [],
    meta_description: '',
    focus_keyword: '',
    author: '',
    json_ld: '',
  });
  const { json } = await receiver().post('article.published', data);
  const { article: stored } = readStored(fileOf(receiver().dir, data.id));
  t.is(stored.body, data.content_html);
  t.is(stored.image, null);
  t.deepEqual(stored.tags, []);
  t.is((await receiver().find(json.url)).content_html, data.content_html);
});

test('neither contract_version nor headers beside the signature are needed, and none of them decides', async (t) => {
  const forms = [
    { headers: { 'X-Service-Event': undefined, 'X-Service-Timestamp': undefined } },
    { headers: { 'X-Service-Event': 'article.updated', 'X-Service-Timestamp': 'never' } },
    { headers: { 'X-Service-Contract': '7' } },
    { headers: { 'Content-Type': 'text/plain' } },
    { envelope: { contract_version: 99 } },
  ];
  for (const form of forms) {
    const data = article();
    const answer = await receiver().post('article.published', data, form);
    t.is(answer.status, 200, JSON.stringify(form));
    t.truthy(fileOf(receiver().dir, data.id));
  }
});
