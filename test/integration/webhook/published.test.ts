import fs from 'node:fs';
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
  t.deepEqual(await debris(receiver().dir), []);
});

test.serial(
  '200-published-stored: without Markdown the body is the HTML, null and empty fields stay so, what nobody sees goes from the ends of names, and the month is that in UTC',
  async (t) => {
    const data = article({
      slug: '안녕하세요 세계'.normalize('NFD'),
      title: '\ufeffBalcony  bees\u200b\n',
      author: ' Ada\u00a0Wren\u2060',
      tags: ['\ufeffSoil', 'soil ', 'SOIL\u200b', '', '\u200b', 'cafe\u0301'],
      published_at: '2026-12-01T00:30:00+01:00',
      content_markdown: '',
      featured_image_url: null,
      meta_description: '',
      focus_keyword: '',
      json_ld: '',
    });
    const envelope = { timestamp: data.published_at };
    const { json } = await receiver().post('article.published', data, { envelope });
    const path = fileOf(receiver().dir, data.id);
    t.true(path.endsWith('/articles/2026/11/안녕하세요-세계.md'), path);
    const { article: stored } = readStored(path);
    t.like(stored, { title: 'Balcony  bees', author: 'Ada Wren', date: data.published_at, image: null });
    t.like(stored, { body: data.content_html, description: '', keyword: '', jsonLd: '' });
    t.deepEqual(stored.tags, ['Soil', 'café']);
    const address = '%EC%95%88%EB%85%95%ED%95%98%EC%84%B8%EC%9A%94-%EC%84%B8%EA%B3%84';
    t.is(json.url, `${SITE_URL}/articles/${address}/`);
    t.like(await receiver().find(json.url), { title: 'Balcony  bees', content_html: data.content_html });
    t.is((await receiver().find(decodeURI(json.url))).id, data.id, 'as a browser shows it');

    const nextMonth = article({ slug: data.slug, published_at: '2026-11-30T23:30:00-01' });
    t.is((await receiver().post('article.published', nextMonth)).json.url, json.url.replace(/\/$/, '-2/'));
    t.true(fileOf(receiver().dir, nextMonth.id).endsWith('/articles/2026/12/안녕하세요-세계-2.md'));
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
  '200-published-redelivery: a redelivery is answered with the same id and URL and touches nothing, also after an update, an edit and a move',
  async (t) => {
    const { dir, post } = receiver();
    const data = article();
    const { text } = await deliver(data);
    const touchesNothing = async (when: string, sent = data) => {
      const before = treeOf(dir);
      t.is((await post('article.published', sent)).text, text, when);
      t.deepEqual(treeOf(dir), before, when);
    };
    await touchesNothing('at once');
    // The id alone counts: a plugin of the service, or a person, may have changed the rest meanwhile.
    const other = { title: 'Another title', slug: 'another-slug', published_at: '2027-01-01T00:00:00Z' };
    await touchesNothing('with other fields', { ...data, ...other });

    const { request } = await publishForUpdate(receiver(), data);
    t.is((await post('article.updated', request)).status, 200);
    await touchesNothing('after an update');
    edit(fileOf(dir, data.id), 'Rewritten', 'By hand');
    await touchesNothing('after an edit');
    fs.renameSync(fileOf(dir, data.id), `${dir}/content/moved-by-hand.md`);
    await touchesNothing('after a move');
  },
);

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
