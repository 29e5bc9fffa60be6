import { basename } from 'node:path';
import test from 'ava';
import { articleFiles, debris, fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { SITE_URL, STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';

// Far from Greenwich: the folder of an article must not depend on the time zone of the server.
process.env.TZ = 'America/Los_Angeles';
const receiver = sharedHere(test, STORE_ONLY);

// Serial, as another test's delivery on the same receiver has a staged file meanwhile.
test.serial('200-published-stored: an article is in its file, whole, before the answer', async (t) => {
  const data = article({ slug: 'balcony-bees' });
  const answer = await receiver().post('article.published', data);
  const files = articleFiles(receiver().dir);

  t.is(answer.status, 200);
  t.deepEqual(JSON.parse(answer.text), {
    received: true,
    id: data.id,
    url: `${SITE_URL}/articles/balcony-bees/`,
  });
  t.regex(answer.headers.get('content-type') ?? '', /^application\/json/);

  const path = fileOf(receiver().dir, data.id);
  t.deepEqual(files, [path]);
  t.true(path.endsWith('content/articles/2026/11/balcony-bees.md'), path);
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

test('200-published-stored: the body of an article without Markdown is its HTML; null and empty fields are stored as such', async (t) => {
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
  t.like(stored, { description: '', keyword: '', author: '', jsonLd: '' });
  t.is((await receiver().find(json.url)).content_html, data.content_html);
});

test('200-published-date-forms: the folder is that of the month in UTC, the date stays as it was sent, and two months do not share a URL', async (t) => {
  const urls: string[] = [];
  for (const [published_at, folder] of [
    ['2026-12-01T00:30:00+01:00', '2026/11'],
    ['2026-11-30T23:30:00-01', '2026/12'],
  ] as const) {
    const data = article({ slug: 'monthly', published_at });
    const { json } = await receiver().post('article.published', data, {
      envelope: { timestamp: published_at },
    });
    urls.push(json.url);
    const path = fileOf(receiver().dir, data.id);
    t.true(path.endsWith(`/articles/${folder}/monthly${urls.length === 1 ? '' : '-2'}.md`), path);
    t.is(readStored(path).article.date, published_at);
  }
  t.deepEqual(urls, [`${SITE_URL}/articles/monthly/`, `${SITE_URL}/articles/monthly-2/`]);
});

test('200-published-invisible-ends: a title, an author and tags are stored without what nobody sees at their ends', async (t) => {
  const data = article({
    title: '\ufeffBalcony  bees\u200b\n',
    author: ' Ada\u00a0Wren\u2060',
    tags: ['\ufeffSoil', 'soil ', 'SOIL\u200b', '', '\u200b', 'cafe\u0301'],
  });
  const { json } = await receiver().post('article.published', data);
  t.like(readStored(fileOf(receiver().dir, data.id)).article, { title: 'Balcony  bees', author: 'Ada Wren' });
  t.deepEqual(readStored(fileOf(receiver().dir, data.id)).article.tags, ['Soil', 'café']);
  t.is((await receiver().find(json.url)).title, 'Balcony  bees');
});

test('200-published-slug-of-any-script: the file has the letters, the URL has them percent-encoded, and both forms are found', async (t) => {
  const data = article({ slug: '안녕하세요 세계'.normalize('NFD') });
  const { json } = await receiver().post('article.published', data);
  const address = '%EC%95%88%EB%85%95%ED%95%98%EC%84%B8%EC%9A%94-%EC%84%B8%EA%B3%84';
  t.is(json.url, `${SITE_URL}/articles/${address}/`);
  t.is(basename(fileOf(receiver().dir, data.id)), '안녕하세요-세계.md');
  t.is((await receiver().find(json.url)).id, data.id);
  t.is((await receiver().find(decodeURI(json.url))).id, data.id, 'as a browser shows it');
});
