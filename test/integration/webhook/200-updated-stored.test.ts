import fs from 'node:fs';
import test from 'ava';
import { articleFiles, debris, edit, fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';

test('an update replaces the content and keeps id, slug, URL, file and first date', async (t) => {
  const { dir, post, find } = await startReceiver(t);
  const data = article({ slug: 'first-slug' });
  const { url } = (await post('article.published', data)).json;
  const path = fileOf(dir, data.id);
  fs.chmodSync(path, 0o640);
  const before = await find(url);
  const request = update(
    { target_id: data.id, target_url: `${url}#section`, base_revision_id: before.revision_id },
    {
      slug: 'second-slug',
      tags: ['new'],
      author: 'Ole Fern',
      featured_image_url: 'https://images.example/2.jpg',
    },
  );

  const { status, json } = await post('article.updated', request);
  t.is(status, 200);
  t.deepEqual({ ...json } as object, { received: true, contract_version: 3, revision_id: request.id });

  t.deepEqual(articleFiles(dir), [path]);
  t.is(fs.statSync(path).mode & 0o777, 0o640);
  const { article: stored, edited, bodyEdited } = readStored(path);
  t.deepEqual([edited, bodyEdited], [false, false]);
  t.deepEqual(stored, {
    id: data.id,
    slug: 'first-slug',
    url,
    date: data.published_at,
    updated: request.published_at,
    revision: request.revision_id,
    title: request.title,
    description: request.meta_description,
    keyword: request.focus_keyword,
    author: 'Ole Fern',
    tags: ['new'],
    image: 'https://images.example/2.jpg',
    jsonLd: request.json_ld,
    contentHtml: request.content_html,
    body: request.content_markdown,
    extra: {},
  });
  t.deepEqual(await find(url), {
    id: data.id,
    url,
    revision_id: request.revision_id,
    title: request.title,
    content_html: request.content_html,
  });
  t.deepEqual(debris(dir), []);
});

test('a null image leaves the image there is; then one is set; then null leaves that one', async (t) => {
  const { dir, post, find } = await startReceiver(t);
  for (const first of ['https://images.example/1.jpg', null]) {
    const data = article({ featured_image_url: first });
    const { url } = (await post('article.published', data)).json;
    const images = [null, 'https://images.example/2.jpg', null];
    const expected = [first, 'https://images.example/2.jpg', 'https://images.example/2.jpg'];
    for (const [n, featured_image_url] of images.entries()) {
      const { revision_id: base_revision_id } = await find(url);
      const request = update(
        { target_id: data.id, target_url: url, base_revision_id },
        { featured_image_url },
      );
      t.is((await post('article.updated', request)).status, 200);
      t.is(readStored(fileOf(dir, data.id)).article.image, expected[n] ?? null);
    }
  }
});

test('an empty title of an update is the placeholder, and empty Markdown the HTML', async (t) => {
  const { dir, post, find } = await startReceiver(t);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const request = update(
    { target_id: data.id, target_url: url, base_revision_id },
    { title: '', content_markdown: '' },
  );
  t.is((await post('article.updated', request)).status, 200);
  t.is((await find(url)).title, 'Untitled');
  t.is(readStored(fileOf(dir, data.id)).article.body, request.content_html);
});

test('keys and comments of a person survive an update that is based on their edit', async (t) => {
  const { dir, post, find } = await startReceiver(t);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const path = fileOf(dir, data.id);
  edit(
    path,
    '\nslug:',
    '\n# pinned until spring\nweight: 3 # heavy\nparams:\n  toc: true\n  list: [1, "two"]\nslug:',
  );
  const { revision_id: base_revision_id } = await find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);

  const text = fs.readFileSync(path, 'utf8');
  t.true(text.includes('# pinned until spring\nweight: 3 # heavy\n'), text);
  const { article: stored, edited } = readStored(path);
  t.false(edited);
  t.deepEqual(stored.extra, { weight: 3, params: { toc: true, list: [1, 'two'] } });
  t.is(stored.title, request.title);
  t.is((await find(url)).revision_id, request.revision_id);
});
