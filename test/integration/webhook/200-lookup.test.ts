import test from 'ava';
import { edit, fileOf, namesIn, treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver, startReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

test('a lookup answers with the article, its revision and version 3', async (t) => {
  const data = article();
  const { json: published } = await receiver().post('article.published', data);
  const { status, json } = await receiver().post('article.lookup', { target_url: published.url });
  t.is(status, 200);
  t.deepEqual(Object.keys(json).sort(), ['contract_version', 'received', 'target']);
  t.like(json, { received: true, contract_version: 3 });
  const { revision_id, ...target } = json.target;
  t.regex(revision_id, /./);
  t.deepEqual(target, {
    id: data.id,
    url: published.url,
    title: data.title,
    content_html: data.content_html,
  });
});

const BODIES = {
  'CRLF line ends': '<p>one</p>\r\n<p>two</p>\r\n',
  'a line separator': '<p>one\u2028two\u2029three\u0085four</p>',
  'a byte order mark': '\ufeff<p>marked</p>',
  'white space at both ends': '\n\n  <p>spaced</p> \t\n\n',
  'Markdown that means something else': '# not a heading\n\n    <p>indented</p>\n\n* no list',
  'broken HTML': '<p><b>never closed <table><li>',
  '400 KB': `<p>${'é🐝x '.repeat(45_000)}</p>`,
};

for (const [name, content_html] of Object.entries(BODIES)) {
  test(`content_html with ${name} comes back to the byte`, async (t) => {
    const { json } = await receiver().post('article.published', article({ content_html }));
    t.is((await receiver().find(json.url)).content_html, content_html);
  });
}

test('the revision is the same until something changes', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  const first = await find(json.url);
  await post('article.published', data);
  await post('article.published', article());
  t.is((await find(json.url)).revision_id, first.revision_id);
  t.truthy(fileOf(dir, data.id));
});

test('after a person has edited the body, the body is what a lookup tells, with the item comment', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article({ content_markdown: '## A heading\n\nSome words.\n' });
  const { json } = await post('article.published', data);
  edit(fileOf(dir, data.id), 'Some words.', 'Some *better* words.');
  const { content_html } = await find(json.url);
  t.true(content_html.includes('<em>better</em>'));
  t.true(content_html.includes('<h2>A heading</h2>'));
  t.true(content_html.includes(`<!-- svc:item:${data.id} -->`));
});

test('after a person has edited anything else, content_html is still the service’s own', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  edit(fileOf(dir, data.id), data.title, 'A title by hand');
  t.like(await find(json.url), { title: 'A title by hand', content_html: data.content_html });
});

test('a lookup writes nothing at all', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const { json } = await post('article.published', article());
  const before = treeOf(dir);
  const files = namesIn(dir);
  for (let n = 0; n < 5; n++) await find(json.url);
  await post('article.lookup', { target_url: `${json.url}nothing-here/` });
  t.deepEqual(treeOf(dir), before);
  t.deepEqual(namesIn(dir), files);
});

test('an article that came as Markdown alone is told as what the Markdown renders to', async (t) => {
  const data = article({ content_html: '', content_markdown: 'Some *words*.\n' });
  const { json } = await receiver().post('article.published', data);
  t.is((await receiver().find(json.url)).content_html, '<p>Some <em>words</em>.</p>\n');
});

test('an article without any content has nothing that a lookup could tell', async (t) => {
  const data = article({ content_html: '', content_markdown: '' });
  const published = await receiver().post('article.published', data);
  t.is(published.status, 200);
  const { status, json } = await receiver().post('article.lookup', { target_url: published.json.url });
  t.is(status, 404);
  t.regex(json.error, /target\.content_html is empty/);
});

test('unknown fields beside target_url are dropped', async (t) => {
  const data = article();
  const { json } = await receiver().post('article.published', data);
  const extra = { id: 'another', url: 'https://elsewhere.example/', nested: { target_url: ['x'] } };
  const answer = await receiver().post(
    'article.lookup',
    { ...extra, target_url: json.url },
    { envelope: { ...extra, target_url: 'https://elsewhere.example/' } },
  );
  t.is(answer.status, 200);
  t.like(answer.json.target, { id: data.id, url: json.url });
});
