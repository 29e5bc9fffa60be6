import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fileOf, readStored, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

/** A receiver whose site has one plugin; `setup` is the text of its setup function's body. */
function withPlugin(t: ExecutionContext, setup: string): Promise<Receiver> {
  const dir = storeOnly(tempDir(t));
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'mine.mjs'),
    `export default { name: 'mine', setup(host) { ${setup} } };\n`,
  );
  return startReceiver(t, { dir });
}

test('a filter changes what is stored, but never what the contract does not leave to it', async (t) => {
  const { dir, post, find } = await withPlugin(
    t,
    `host.addFilter('article.draft', (draft) => ({ ...draft, title: draft.title + '!', id: 'x', slug: 'x',
       date: '1999-01-01', url: 'https://x.example/', revision: 'x', jsonLd: '', contentHtml: '<p>cut</p>', body: 'cut' }));
     host.addFilter('article.slug', (slug) => 'of-the-plugin');
     host.addFilter('article.frontMatter', (extra) => ({ ...extra, layout: 'post', id: 'x', revision: 'x' }));`,
  );
  const data = article();
  const { json } = await post('article.published', data);
  t.deepEqual([json.id, json.url], [data.id, 'https://garden.example/articles/of-the-plugin/']);
  const { article: stored, edited } = readStored(fileOf(dir, data.id));
  t.false(edited);
  t.like(stored, { title: `${data.title}!`, date: data.published_at, jsonLd: data.json_ld, url: json.url });
  t.deepEqual(stored.extra, { layout: 'post' });
  const comment = `<!-- svc:item:${data.id} -->`;
  t.is(stored.contentHtml, `<p>cut</p>\n${comment}`);
  t.true(stored.body.includes(comment));

  const { revision_id: base_revision_id } = await find(json.url);
  const request = update({ target_id: data.id, target_url: json.url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  const { article: next } = readStored(fileOf(dir, data.id));
  t.like(next, { id: data.id, slug: 'of-the-plugin', url: json.url, revision: request.id });
  t.like(next, { title: `${request.title}!`, jsonLd: request.json_ld, date: data.published_at });
  t.deepEqual(next.extra, { layout: 'post' });
});

test('a filter that fails refuses the delivery with 500, and nothing is written until it is well', async (t) => {
  const { dir, post } = await withPlugin(
    t,
    `let calls = 0;
     const faults = [() => { throw new Error('broken'); }, () => undefined, async () => { throw null; },
       () => 'no draft', () => ({ title: 7 }), (draft) => ({ ...draft, tags: 'no list' }), () => null,
       (draft) => ({ ...draft, title: '\\ud800' })];
     host.addFilter('article.draft', (draft) => calls < faults.length ? faults[calls++](draft) : draft);`,
  );
  const before = treeOf(dir);
  const data = article();
  for (let n = 0; n < 8; n++) {
    const { status, json } = await post('article.published', data);
    t.is(status, 500, String(n));
    t.regex(json.error, /^filter article\.draft(?: of plugin mine|: the plugins’ draft) /, String(n));
    t.deepEqual(treeOf(dir), before);
  }
  t.is((await post('article.published', data)).status, 200);
});

test('a stale update and a redelivery never reach a filter', async (t) => {
  const { dir, post, find } = await withPlugin(
    t,
    `host.addFilter('article.draft', async (draft) => {
       (await import('node:fs')).appendFileSync(host.siteDir + '/filtered', 'x');
       return draft;
     });`,
  );
  const data = article();
  const { json } = await post('article.published', data);
  await post('article.published', data);
  const { revision_id } = await find(json.url);
  const target = { target_id: data.id, target_url: json.url };
  t.is(
    (await post('article.updated', update({ ...target, base_revision_id: `${revision_id}x` }))).status,
    409,
  );
  t.is(fs.readFileSync(join(dir, 'filtered'), 'utf8'), 'x', 'once, for the publication');
});

test('an action can neither delay an answer nor turn it into a failure', async (t) => {
  const { post } = await withPlugin(
    t,
    `host.addAction('article.published', () => { throw new Error('broken'); });
     host.addAction('article.published', () => new Promise(() => {}));
     host.addAction('delivery.accepted', () => Promise.reject(new Error('broken')));`,
  );
  const data = article();
  const first = await post('article.published', data);
  t.is(first.status, 200);
  t.is((await post('article.published', data)).text, first.text);
});
