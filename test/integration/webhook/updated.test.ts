import fs from 'node:fs';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { articleFiles, debris, fileOf, readStored, treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, STORE_ONLY);

// All tests are serial: they compare the whole folder.

test.serial(
  '404, 400 and 409: an update that is refused names the reason, and touches no file',
  async (t) => {
    const { dir, post } = receiver();
    const { url, request } = await publishForUpdate(receiver(), article());
    const before = treeOf(dir);
    for (const [over, status, error] of [
      [
        { target_id: 'nobody' },
        404,
        `target_id "nobody" and target_url "${url}" do not name the same stored article`,
      ],
      [{ id: 'another' }, 400, `data.revision_id must equal data.id; got "${request.id}" and "another"`],
      [{ base_revision_id: 'stale' }, 409, 'Article revision conflict'],
    ] as const) {
      const refused = await post('article.updated', { ...request, ...over });
      t.deepEqual([refused.status, refused.json.error], [status, error]);
    }
    t.deepEqual(treeOf(dir), before);
  },
);

test.serial(
  '200-updated-stored: an update replaces the content and keeps id, slug, URL, file, permissions and first date',
  async (t) => {
    const { dir, post, find } = receiver();
    const data = article({ slug: 'first-slug' });
    const { url, request } = await publishForUpdate(receiver(), data, {
      slug: 'second-slug',
      tags: ['new'],
      author: 'Ole Fern',
      featured_image_url: 'https://images.example/2.jpg',
    });
    const path = fileOf(dir, data.id);
    fs.chmodSync(path, 0o640);
    const files = articleFiles(dir);

    const { status, text } = await post('article.updated', { ...request, target_url: `${url}#section` });
    t.is(status, 200);
    t.deepEqual(JSON.parse(text), { received: true, contract_version: 3, revision_id: request.id });

    t.deepEqual(articleFiles(dir), files);
    t.is(fs.statSync(path).mode & 0o777, 0o640);
    const { article: now, edited, bodyEdited } = readStored(path);
    t.deepEqual([edited, bodyEdited], [false, false]);
    t.deepEqual(now, {
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
  },
);
