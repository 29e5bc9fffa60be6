import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { edit, fileOf, namesIn, treeOf } from '../../support/content.js';
import { article, testData } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';

const receiver = sharedHere(test, STORE_ONLY);

// The serial tests compare the whole folder, or change what a lookup of another test could see.

test.serial('200-test and 200-lookup: what only asks writes no file', async (t) => {
  const { dir, post } = receiver();
  const { url } = (await post('article.published', article())).json;
  // Facts and deliveries are noted in the background.
  const files = () => namesIn(dir).filter((name) => !/\.tmp$|facts|deliveries/.test(name));
  const before = [...treeOf(dir), ...files()];
  t.is((await post('webhook.test', testData())).status, 200);
  t.is((await post('article.lookup', { target_url: 'https://garden.example/nothing/' })).status, 404);
  t.is((await post('article.lookup', { target_url: url })).status, 200);
  t.deepEqual([...treeOf(dir), ...files()], before);
});

test.serial(
  '404-lookup-two-articles-at-one-url: a copy makes the URL ambiguous, until the copy is removed',
  async (t) => {
    const { dir, post, find } = receiver();
    const data = article();
    const { url, request } = await publishForUpdate(receiver(), data);
    const target = await find(url);
    const path = fileOf(dir, data.id);
    const copy = join(dir, 'content/copies', `copy-of-${data.id}.md`);
    fs.mkdirSync(dirname(copy), { recursive: true });
    // As cp does: the file is there before its text is, and the receiver may look at it in between.
    fs.writeFileSync(copy, '');
    t.deepEqual(await find(url), target, 'an empty file claims no URL');
    fs.writeFileSync(copy, fs.readFileSync(path));

    await until('the copy is known', async () => {
      const { status, json } = await post('article.lookup', { target_url: url });
      return status === 404 && /^target_url: 2 articles are at /.test(json.error);
    });
    t.is((await post('article.updated', request)).status, 404);
    t.is((await post('article.published', data)).json.url, url, 'a redelivery makes no duplicate');

    fs.unlinkSync(copy);
    t.deepEqual(await find(url), target);
  },
);

test('200-lookup: content_html is rendered from the Markdown where there is no HTML; without both, a 404 names the empty field', async (t) => {
  const { post, find } = receiver();
  const { json } = await post(
    'article.published',
    article({ content_html: '', content_markdown: 'Some *words*.\n' }),
  );
  t.is((await find(json.url)).content_html, '<p>Some <em>words</em>.</p>\n');
  const empty = await post('article.published', article({ content_html: '', content_markdown: '' }));
  t.is(empty.status, 200);
  const refused = await post('article.lookup', { target_url: empty.json.url });
  t.is(refused.status, 404);
  t.regex(refused.json.error, /^target\.content_html is empty in /);
});

test('404-lookup-nothing-there: an article whose URL a person has changed is found at the new URL alone', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  edit(fileOf(dir, data.id), `url: "${url}"`, 'url: "https://garden.example/elsewhere/"');
  t.is((await post('article.lookup', { target_url: url })).status, 404);
  const found = await post('article.lookup', { target_url: 'https://garden.example/elsewhere' });
  t.is(found.json.target.id, data.id);
});

test('404-lookup-too-large: an answer of 999,999 bytes is sent; one that an edit brings to 1,000,000 is a 404 that says why', async (t) => {
  const { dir, post, find } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const path = fileOf(dir, data.id);
  const bare = fs.readFileSync(path, 'utf8');
  // Bytes count, not characters.
  const lookUpWith = (letters: number) => {
    const title = 'é'.repeat(Math.floor(letters / 2)) + 'y'.repeat(letters % 2);
    fs.writeFileSync(path, bare.replace(/^title: .*$/m, `title: "${title}"`));
    return post('article.lookup', { target_url: url });
  };
  const room = 999_999 - Buffer.byteLength((await lookUpWith(900_000)).text);
  const fits = await lookUpWith(900_000 + room);
  t.is(fits.status, 200);
  t.is(Buffer.byteLength(fits.text), 999_999);
  const tooLarge = await lookUpWith(900_001 + room);
  t.is(tooLarge.status, 404);
  t.regex(tooLarge.json.error.slice(0, 200), /would reach 1000000 bytes/);
  fs.writeFileSync(path, bare);
  t.is((await find(url)).content_html, data.content_html);
});
