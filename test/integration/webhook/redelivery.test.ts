import fs from 'node:fs';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { articleFiles, edit, fileOf, treeOf } from '../../support/content.js';
import { article, type PublishedData } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, STORE_ONLY);

/** Every article of this file with the answer to its publication, for the last test. */
const delivered: { readonly data: PublishedData; readonly text: string }[] = [];

// All tests are serial: they compare the whole folder, and the last one ends the receiver.

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
