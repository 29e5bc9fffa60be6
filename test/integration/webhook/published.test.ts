import fs from 'node:fs';
import { basename } from 'node:path';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { articleFiles, debris, edit, fileOf, readStored, treeOf } from '../../support/content.js';
import { article, type PublishedData } from '../../support/events.js';
import { SITE_URL, STORE_ONLY } from '../../support/receiver.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';

// Far from Greenwich: the folder of an article must not depend on the time zone of the server.
process.env.TZ = 'America/Los_Angeles';
const receiver = sharedHere(test, STORE_ONLY);

// All tests are serial: they compare the whole folder, and the last one ends the receiver.

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

test.serial(
  '200-published-stored: the body of an article without Markdown is its HTML; null and empty fields are stored as such',
  async (t) => {
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
  },
);

test.serial(
  '200-published-date-forms: the folder is that of the month in UTC, the date stays as it was sent, and two months do not share a URL',
  async (t) => {
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
  },
);

test.serial(
  '200-published-invisible-ends: a title, an author and tags are stored without what nobody sees at their ends',
  async (t) => {
    const data = article({
      title: '\ufeffBalcony  bees\u200b\n',
      author: ' Ada\u00a0Wren\u2060',
      tags: ['\ufeffSoil', 'soil ', 'SOIL\u200b', '', '\u200b', 'cafe\u0301'],
    });
    const { json } = await receiver().post('article.published', data);
    t.like(readStored(fileOf(receiver().dir, data.id)).article, {
      title: 'Balcony  bees',
      author: 'Ada Wren',
    });
    t.deepEqual(readStored(fileOf(receiver().dir, data.id)).article.tags, ['Soil', 'café']);
    t.is((await receiver().find(json.url)).title, 'Balcony  bees');
  },
);

test.serial(
  '200-published-slug-of-any-script: the file has the letters, the URL has them percent-encoded, and both forms are found',
  async (t) => {
    const data = article({ slug: '안녕하세요 세계'.normalize('NFD') });
    const { json } = await receiver().post('article.published', data);
    const address = '%EC%95%88%EB%85%95%ED%95%98%EC%84%B8%EC%9A%94-%EC%84%B8%EA%B3%84';
    t.is(json.url, `${SITE_URL}/articles/${address}/`);
    t.is(basename(fileOf(receiver().dir, data.id)), '안녕하세요-세계.md');
    t.is((await receiver().find(json.url)).id, data.id);
    t.is((await receiver().find(decodeURI(json.url))).id, data.id, 'as a browser shows it');
  },
);

/** Articles with the answers to their publications, for the last test. */
const delivered: { readonly data: PublishedData; readonly text: string }[] = [];

/** Sends an article for the first time. @returns the answer's text and the URL. */
async function deliver(data: PublishedData) {
  const { status, text, json } = await receiver().post('article.published', data);
  if (status !== 200) throw new Error(`the publication was answered ${status}: ${text}`);
  delivered.push({ data, text });
  return { text, url: json.url };
}

test.serial(
  '200-published-redelivery: a redelivery is answered with the same id and URL and touches nothing',
  async (t) => {
    const { dir, post } = receiver();
    const data = article();
    const { text } = await deliver(data);
    const before = treeOf(dir);

    t.is((await post('article.published', data)).text, text);
    // The id alone counts: a plugin of the service, or a person, may have changed the rest meanwhile.
    const renamed = {
      ...data,
      title: 'Another title',
      slug: 'another-slug',
      published_at: '2027-01-01T00:00:00Z',
    };
    t.is((await post('article.published', renamed)).text, text);
    t.deepEqual(treeOf(dir), before);
  },
);

test.serial(
  '200-published-redelivery: a redelivery after an update and after an edit touches nothing',
  async (t) => {
    const { dir, post } = receiver();
    const data = article();
    const { text } = await deliver(data);
    const { request } = await publishForUpdate(receiver(), data);
    t.is((await post('article.updated', request)).status, 200);
    let before = treeOf(dir);
    t.is((await post('article.published', data)).text, text, 'after an update');
    t.deepEqual(treeOf(dir), before);

    edit(fileOf(dir, data.id), 'Rewritten', 'By hand');
    before = treeOf(dir);
    t.is((await post('article.published', data)).text, text, 'after an edit');
    t.deepEqual(treeOf(dir), before);
  },
);

test.serial('200-published-redelivery: an article that a person has moved is found', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const { text } = await deliver(data);
  const before = articleFiles(dir).length;
  fs.renameSync(fileOf(dir, data.id), `${dir}/content/moved-by-hand.md`);
  t.is((await post('article.published', data)).text, text);
  t.is(articleFiles(dir).length, before);
});

test.serial(
  '200-published-redelivery: a copy to which a person has given another URL is never the answer',
  async (t) => {
    const { dir, post, find } = receiver();
    const data = article({ slug: 'original' });
    const { text, url } = await deliver(data);
    const { request } = await publishForUpdate(receiver(), data);
    const path = fileOf(dir, data.id);
    const copied = fs.readFileSync(path, 'utf8').replaceAll('articles/original/', 'articles/translated/');
    fs.writeFileSync(path.replace('original.md', 'original-translated.md'), copied);
    t.is((await find(url.replace('original', 'translated'))).id, data.id);
    t.is((await post('article.updated', request)).status, 200);
    t.is((await post('article.published', data)).text, text);
  },
);

// That a file keeps every id is a property in test/unit/article/format.
const IDS = [
  ...[' spaced ', '<!-- svc:item:x -->', '__proto__', '../../etc/passwd', '\nid: "another"\n---\n'],
  ...['nul\u0000', '\ufeffmark', 'e\u0301', '\u00e9', 'i'.repeat(100_000), `${'i'.repeat(100_000)}2`],
];

test.serial(
  '200-published-hostile-ids: every id is exact in the answer, in a lookup and for a redelivery',
  async (t) => {
    const { dir, post, find } = receiver();
    const before = articleFiles(dir).length;
    const urls = new Set<string>();
    for (const id of IDS) {
      const data = article({ id });
      const { text, url } = await deliver(data);
      t.deepEqual(JSON.parse(text), { received: true, id, url });
      t.is((await find(url)).id, id);
      t.is((await post('article.published', data)).text, text, JSON.stringify(id));
      urls.add(url);
    }
    t.is(urls.size, IDS.length, 'every id has a URL of its own');
    t.is(articleFiles(dir).length, before + IDS.length);
  },
);

test.serial(
  '200-published-redelivery: after a restart every redelivery is answered as before and touches nothing',
  async (t) => {
    const { dir } = receiver();
    await deliver(article());
    await receiver().close();
    const before = treeOf(dir);
    const { post, find } = await startHere(t, { dir });
    for (const { data, text } of delivered) {
      t.is((await post('article.published', data)).text, text, JSON.stringify(data.id));
      t.is((await find((JSON.parse(text) as { url: string }).url)).id, data.id);
    }
    t.deepEqual(treeOf(dir), before);
  },
);
