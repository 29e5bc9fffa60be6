import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { articleFiles, debris, edit, fileOf, readStored, treeOf } from '../../support/content.js';
import { article, type UpdatedData, update } from '../../support/events.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { type ReceiverHere, sharedHere, startHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, STORE_ONLY);

// All tests are serial: they compare the whole folder, and the last one ends the receiver.

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
    t.deepEqual(await debris(dir), []);
  },
);

/** Markdown for which the renderer would take minutes. */
const ENDLESS = HOSTILE_TEXTS['lines in nested quotes']?.(200_000) ?? '';

test.serial(
  '200-updated-stored: Markdown that would take too long is stored as it came, shown as it is, and can be updated',
  async (t) => {
    const { post, find } = receiver();
    const data = article({ content_html: '', content_markdown: ENDLESS });
    const { status, json } = await post('article.published', data);
    t.is(status, 200);
    const found = await find(json.url);
    t.regex(found.content_html, /^<pre style="[^"]+">&gt;&gt;/);
    const target = { target_id: data.id, target_url: json.url, base_revision_id: found.revision_id };
    const plain = update(target, { content_html: '<p>Plainer.</p>' });
    t.is((await post('article.updated', plain)).status, 200);
    t.regex((await find(json.url)).content_html, /^<p>Plainer\.<\/p>/);
  },
);

/** Edits of the text, of json_ld, of a key of the owner's, and one that an editor saves by rename. */
const EDITS: readonly ((path: string) => void)[] = [
  (path) => edit(path, 'Out of the wind.\n\n<!--', 'Out of the wind, always.\n\n<!--'),
  (path) => edit(path, String.raw`\"Article\"`, String.raw`\"BlogPosting\"`),
  (path) => edit(path, '\nslug:', '\ndraft: true\nslug:'),
  (path) => {
    fs.writeFileSync(`${path}.swp`, fs.readFileSync(path, 'utf8').replace('Keeping', 'Housing'));
    fs.renameSync(`${path}.swp`, path);
  },
];

/** A published article's file, and an update that succeeds while nobody edits the file. */
async function prepare() {
  const data = article();
  const { request } = await publishForUpdate(receiver(), data);
  return { path: fileOf(receiver().dir, data.id), request };
}

/** Asserts that an update is refused in the contract's words, and that what the person wrote stays. */
async function mustConflict(t: ExecutionContext, on: ReceiverHere, path: string, request: UpdatedData) {
  const theirs = fs.readFileSync(path, 'utf8');
  const { status, text } = await on.post('article.updated', request);
  t.is(status, 409);
  t.is(fs.readFileSync(path, 'utf8'), theirs, 'the text of the person is unchanged');
  const { revision_id } = await on.find(request.target_url);
  t.not(revision_id, request.base_revision_id, 'the edit has made a new revision');
  t.deepEqual(JSON.parse(text), {
    error: 'Article revision conflict',
    base_revision_id: request.base_revision_id,
    current_revision_id: revision_id,
  });
}

test.serial(
  '409-updated-after-edit: an edit makes an update stale at once, and one that is based on it succeeds',
  async (t) => {
    for (const make of EDITS) {
      const { path, request } = await prepare();
      make(path);
      await mustConflict(t, receiver(), path, request);
      const { revision_id: base_revision_id } = await receiver().find(request.target_url);
      t.is((await receiver().post('article.updated', { ...request, base_revision_id })).status, 200);
    }
  },
);

test.serial(
  '409-updated-after-edit: a retry that comes after an edit of what it stored does not take the edit back',
  async (t) => {
    const { path, request } = await prepare();
    t.is((await receiver().post('article.updated', request)).status, 200);
    edit(path, `Rewritten as ${request.id}.\n\n<!--`, 'Written by hand.\n\n<!--');
    await mustConflict(t, receiver(), path, request);
    await mustConflict(t, receiver(), path, request);
  },
);

// Last, as it ends the receiver of this file.
test.serial(
  '409-updated-after-edit: an edit that is made while no receiver runs makes an update stale',
  async (t) => {
    const { path, request } = await prepare();
    await receiver().close();
    EDITS[0]?.(path);
    await mustConflict(t, await startHere(t, { dir: receiver().dir }), path, request);
  },
);
