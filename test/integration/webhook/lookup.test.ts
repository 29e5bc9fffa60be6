import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { edit, fileOf, namesIn, treeOf } from '../../support/content.js';
import { article, envelope, testData } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const CANONICAL = 'https://garden.example/articles/canon/';

test.serial.before('the article of the canonicalization is published', async (t) => {
  const { json } = await receiver().post('article.published', article({ id: 'canon', slug: 'canon' }));
  t.is(json.url, CANONICAL);
});

// The serial tests compare the whole folder, or change what a lookup of another test could see.

test.serial(
  '200-test: webhook.test is answered with version 3 and all three capabilities, and writes nothing',
  async (t) => {
    const { dir, post } = receiver();
    const [before, files] = [treeOf(dir), namesIn(dir)];
    const { status, text } = await post('webhook.test', testData());
    t.is(status, 200);
    t.deepEqual(JSON.parse(text), {
      received: true,
      contract_version: 3,
      capabilities: ['article.published', 'article.lookup', 'article.updated'],
    });
    t.deepEqual(treeOf(dir), before);
    t.deepEqual(namesIn(dir), files);
  },
);

test.serial('200-lookup: a lookup writes nothing, whether it finds an article or not', async (t) => {
  const { dir, post, find } = receiver();
  const [before, files] = [treeOf(dir), namesIn(dir)];
  await find(CANONICAL);
  t.is((await post('article.lookup', { target_url: `${CANONICAL}nothing-here/` })).status, 404);
  t.deepEqual(treeOf(dir), before);
  t.deepEqual(namesIn(dir), files);
});

test.serial(
  '404-updated-two-articles-at-one-url: where two articles claim one URL neither is updated, until one gives it up',
  async (t) => {
    const { dir, post, find } = receiver();
    const other = article();
    const { url, request } = await publishForUpdate(receiver(), article());
    const { url: otherUrl, request: otherRequest } = await publishForUpdate(receiver(), other);
    edit(fileOf(dir, other.id), `url: "${otherUrl}"`, `url: "${url}"`);
    await until(
      'a lookup of the URL that two articles claim is refused',
      async () => (await post('article.lookup', { target_url: url })).status === 404,
    );
    const before = treeOf(dir);

    const onTheirUrl = { ...otherRequest, target_url: url };
    for (const data of [request, onTheirUrl, { ...request, target_url: url.replace(/\/$/, '#top') }]) {
      const { status, json } = await post('article.updated', data);
      t.is(status, 404);
      t.regex(json.error, /^target_url: 2 articles are at /);
    }
    t.deepEqual(treeOf(dir), before);

    edit(fileOf(dir, other.id), `url: "${url}"`, `url: "${otherUrl}"`);
    t.is((await post('article.updated', request)).status, 200);
    t.is((await find(url)).revision_id, request.revision_id);
    t.is((await find(otherUrl)).revision_id, otherRequest.base_revision_id, 'the other article is unchanged');
  },
);

for (const where of ['in the same folder', 'in a folder of its own']) {
  for (const how of ['at once', 'in two steps']) {
    test.serial(
      `404-lookup-two-articles-at-one-url: a copy ${where}, written ${how}, makes the URL ambiguous, until the copy is removed`,
      async (t) => {
        const { dir, post, find } = receiver();
        const data = article();
        const { url, request } = await publishForUpdate(receiver(), data);
        const target = await find(url);
        const path = fileOf(dir, data.id);
        const folder = where === 'in the same folder' ? dirname(path) : join(dir, 'content/copies');
        fs.mkdirSync(folder, { recursive: true });
        const copy = join(folder, `copy-of-${data.id}.md`);
        if (how === 'in two steps') {
          // As cp does: the file is there before its text is, and the receiver may look at it in between.
          fs.writeFileSync(copy, '');
          t.deepEqual(await find(url), target, 'an empty file claims no URL');
        }
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
  }
}

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
  'https://garden.example/articles/x/../canon/',
  'https://garden.example/articles/./canon/',
  'https://garden.example/articles/x/%2e%2e/canon/',
  'https://garden.example/articles/canon/?',
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
  test(`200-lookup-canonicalization: ${target_url} is the article`, async (t) => {
    const { status, json } = await receiver().post('article.lookup', { target_url });
    t.is(status, 200);
    t.is(json.target.id, 'canon');
    t.is(json.target.url, CANONICAL);
  });
}

for (const target_url of OTHER) {
  test(`404-lookup-canonicalization: ${target_url} is not the article`, async (t) => {
    const { status, json } = await receiver().post('article.lookup', { target_url });
    t.is(status, 404);
    t.is(json.error, `target_url: there is no article at ${JSON.stringify(target_url)}`);
  });
}

test('200-lookup: the answer has the article, its revision and version 3', async (t) => {
  const data = article();
  const { url } = (await receiver().post('article.published', data)).json;
  const { status, json } = await receiver().post('article.lookup', { target_url: url });
  t.is(status, 200);
  const { revision_id } = json.target;
  t.true(revision_id.length > 0);
  t.deepEqual(JSON.parse(JSON.stringify(json)), {
    received: true,
    contract_version: 3,
    target: { id: data.id, url, revision_id, title: data.title, content_html: data.content_html },
  });
});

const BODIES = {
  'CRLF line ends': '<p>one</p>\r\n<p>two</p>\r\n',
  'line separators': '<p>one\u2028two\u2029three\u0085four</p>',
  'a byte order mark': '\ufeff<p>marked</p>',
  'white space at both ends': '\n\n  <p>spaced</p> \t\n\n',
  'Markdown that means something else': '# not a heading\n\n    <p>indented</p>\n\n* no list',
  'broken HTML': '<p><b>never closed <table><li>',
  '400 KB': `<p>${'é🐝x '.repeat(45_000)}</p>`,
};

for (const [what, content_html] of Object.entries(BODIES)) {
  test(`200-lookup: content_html with ${what} is returned byte for byte`, async (t) => {
    const { json } = await receiver().post('article.published', article({ content_html }));
    t.is((await receiver().find(json.url)).content_html, content_html);
  });
}

test('200-lookup: a redelivery and the publication of another article leave the revision as it is', async (t) => {
  const { post, find } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id } = await find(url);
  await post('article.published', data);
  await post('article.published', article());
  t.is((await find(url)).revision_id, revision_id);
});

test('200-lookup: after a person has edited the body, content_html is made from it and keeps the item comment', async (t) => {
  const { dir, post, find } = receiver();
  const data = article({ content_markdown: '## A heading\n\nSome words.\n' });
  const { url } = (await post('article.published', data)).json;
  edit(fileOf(dir, data.id), 'Some words.', 'Some *better* words.');
  const { content_html } = await find(url);
  t.true(content_html.includes('<em>better</em>'), content_html);
  t.true(content_html.includes('<h2>A heading</h2>'), content_html);
  t.true(content_html.includes(`<!-- svc:item:${data.id} -->`), content_html);
});

test('200-lookup: after a person has edited the title alone, content_html is still what the service sent', async (t) => {
  const { dir, post, find } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  edit(fileOf(dir, data.id), data.title, 'A title by hand');
  t.like(await find(url), { title: 'A title by hand', content_html: data.content_html });
});

test('200-lookup: content_html of an article without HTML is rendered from its Markdown', async (t) => {
  const data = article({ content_html: '', content_markdown: 'Some *words*.\n' });
  const { json } = await receiver().post('article.published', data);
  t.is((await receiver().find(json.url)).content_html, '<p>Some <em>words</em>.</p>\n');
});

test('200-lookup: unknown fields are ignored', async (t) => {
  const data = article();
  const { url } = (await receiver().post('article.published', data)).json;
  const extra = { id: 'another', url: 'https://elsewhere.example/', nested: { target_url: ['x'] } };
  const { status, json } = await receiver().post(
    'article.lookup',
    { ...extra, target_url: url },
    { envelope: { ...extra, target_url: 'https://elsewhere.example/' } },
  );
  t.is(status, 200);
  t.like(json.target, { id: data.id, url });
});

test('404-lookup-empty-field: an article without any content is stored, and a lookup of it names the empty field', async (t) => {
  const data = article({ content_html: '', content_markdown: '' });
  const published = await receiver().post('article.published', data);
  t.is(published.status, 200);
  const { status, json } = await receiver().post('article.lookup', { target_url: published.json.url });
  t.is(status, 404);
  t.regex(json.error, /^target\.content_html is empty in /);
});

test('404-lookup-empty-field: a title that a person has removed is named', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  edit(fileOf(dir, data.id), `title: ${JSON.stringify(data.title)}`, 'title: ""');
  const { status, json } = await post('article.lookup', { target_url: url });
  t.is(status, 404);
  t.regex(json.error, /^target\.title is empty in /);
});

test('404-lookup-nothing-there: an article whose file a person has removed is not found', async (t) => {
  const { dir, post } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  fs.unlinkSync(fileOf(dir, data.id));
  const { status, json } = await post('article.lookup', { target_url: url });
  t.is(status, 404);
  t.is(json.error, `target_url: there is no article at ${JSON.stringify(url)}`);
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

test('404-lookup-nothing-there: an article is not guessed by its title or a part of its slug', async (t) => {
  const { post } = receiver();
  await post('article.published', article({ slug: 'bees-in-spring', title: 'Bees in spring' }));
  for (const path of [
    'articles/bees-in-sprin/',
    'articles/bees/',
    'bees-in-spring/',
    'articles/Bees%20in%20spring',
  ]) {
    const { status } = await post('article.lookup', { target_url: `https://garden.example/${path}` });
    t.is(status, 404, path);
  }
});

test('200-lookup-largest: the largest article that can be published can be looked up', async (t) => {
  const { raw, post } = receiver();
  const data = article({ content_html: '', content_markdown: '' });
  const room = 1_000_000 - Buffer.byteLength(JSON.stringify(envelope('article.published', data)));
  data.content_html = 'x'.repeat(room);
  const published = await raw(JSON.stringify(envelope('article.published', data)));
  const { status, text } = await post('article.lookup', { target_url: published.json.url });
  t.is(status, 200);
  t.true(Buffer.byteLength(text) < 1_000_000);
});

test('404-lookup-too-large: an answer of 999,999 bytes is sent; one that an edit brings to 1,000,000 is a 404 that says why', async (t) => {
  const { dir, post, find } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const path = fileOf(dir, data.id);
  const bare = fs.readFileSync(path, 'utf8');
  const lookUpWith = (letters: number) => {
    fs.writeFileSync(path, bare.replace(/^title: .*$/m, `title: "${'y'.repeat(letters)}"`));
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
