import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { fileOf, readStored, treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { sharedHere, startHere } from '../../support/receiver-here.js';
import { withPlugins } from '../../support/with-plugins.js';

/** The titles of the articles that the plugins of this file filter; they leave all others as they are. */
const FILTERED = 'Filtered';
const COUNTED = 'Counted';

const FILTERS = `export default { name: 'filters', receiver(host) {
  host.addFilter('article.draft', (draft, { event }) => draft.title !== '${FILTERED}' ? draft : { ...draft, title: draft.title + '!',
    ...(event === 'article.updated' && { image: 'https://images.example/of-the-plugin.jpg' }),
    id: 'x', slug: 'x', date: '1999-01-01', url: 'https://x.example/', revision: 'x', jsonLd: '',
    contentHtml: '<p>cut</p>', body: 'cut' });
  host.addFilter('article.slug', (slug, draft) => draft.title === '${FILTERED}!' ? 'of-the-plugin' : slug);
  host.addFilter('article.frontMatter', (extra, draft) =>
    draft.title === '${FILTERED}!' ? { ...extra, layout: 'post', none: undefined, id: 'x', revision: 'x' } : extra);
} };`;

const COUNTS = `import fs from 'node:fs';
export default { name: 'counts', receiver(host) {
  host.addFilter('article.draft', (draft) => {
    if (draft.title === '${COUNTED}') fs.appendFileSync(host.paths.site + '/filtered', 'x');
    return draft;
  });
} };`;

const ROUTES = `export default { name: 'routes', receiver(host) { host.routes((router) => {
  router.get('/broken', () => { throw new Error('inside'); });
  router.get('/private', (context) => context.throw(403, 'for members alone'));
  router.get('/unavailable', (context) => context.throw(503, 'inside'));
  router.get('/hold/:id', (context) => host.articles.setState(context.params.id, 'held'));
  router.post('/subscribe', (context) => { context.body = 'subscribed'; });
  router.get('/found', async (context) => {
    const { id } = (await host.articles.find(context.query.url)) ?? { id: null };
    context.body = { id };
  });
  router.post('/echo', (context) => { context.body = context.request.body; });
  router.post('/loop', async (context) => {
    let bytes = 0;
    for await (const chunk of context.req) bytes += chunk.length;
    context.body = { bytes };
  });
  router.post('/events', async (context) => {
    let bytes = 0;
    context.req.on('data', (chunk) => { bytes += chunk.length; });
    await new Promise((resolve) => context.req.once('end', resolve));
    context.body = { bytes };
  });
}); } };`;

/** Its middleware is in the way of its own routes alone. */
const BLOCKS = `export default { name: 'blocks', receiver: (host) => host.routes((router) => {
  router.use((context) => { context.body = 'blocked'; });
  router.get('/list', (context) => { context.body = 'list'; }); }) };`;

const receiver = sharedHere(test, { storeOnly: true }, (dir) => {
  withPlugins(dir, { 'a-filters': FILTERS, 'a-blocks': BLOCKS, 'b-routes': ROUTES, 'c-counts': COUNTS });
});
const { dir } = receiver;

// All tests are serial: they compare the whole folder, and the last one ends the receiver.

test.serial(
  '200-filters: a filter changes what is stored, but nothing that the contract fixes',
  async (t) => {
    const { post } = receiver();
    const data = article({ title: FILTERED });
    const { json } = await post('article.published', data);
    t.deepEqual([json.id, json.url], [data.id, 'https://garden.example/articles/of-the-plugin/']);
    const { article: stored, edited } = readStored(fileOf(dir, data.id));
    t.false(edited);
    t.like(stored, { title: `${FILTERED}!`, date: data.published_at, jsonLd: data.json_ld, url: json.url });
    t.deepEqual(stored.extra, { layout: 'post' });
    const comment = `<!-- svc:item:${data.id} -->`;
    t.is(stored.contentHtml, `<p>cut</p>\n${comment}`);
    t.true(stored.body.includes(comment), stored.body);

    const { request } = await publishForUpdate(receiver(), data, {
      title: FILTERED,
      featured_image_url: null,
    });
    t.is((await post('article.updated', request)).status, 200);
    const { article: next } = readStored(fileOf(dir, data.id));
    t.is(next.image, 'https://images.example/of-the-plugin.jpg');
    t.like(next, { id: data.id, slug: 'of-the-plugin', url: json.url, revision: request.id });
    t.like(next, { title: `${FILTERED}!`, jsonLd: request.json_ld, date: data.published_at });
    t.is(next.contentHtml, `<p>cut</p>\n${comment}`);
    t.deepEqual(next.extra, { layout: 'post' });
  },
);

test.serial(
  '200-articles-find: a plugin finds an article by its URL, and gets undefined where there is none',
  async (t) => {
    const { post, origin } = receiver();
    const found = async (url: string) =>
      (await fetch(`${origin}/-/routes/found?url=${encodeURIComponent(url)}`)).json();
    const data = article();
    const { json } = await post('article.published', data);
    t.deepEqual(await found(`${json.url}#part`), { id: data.id });
    for (const url of [`${json.url}nowhere/`, 'https://elsewhere.example/', 'no address'])
      t.deepEqual(await found(url), { id: null }, url);
  },
);

test.serial('409-filters: a stale update and a redelivery do not reach a filter', async (t) => {
  const { post } = receiver();
  const data = article({ title: COUNTED });
  await post('article.published', data);
  const { request } = await publishForUpdate(receiver(), data, { title: COUNTED });
  const stale = { ...request, base_revision_id: `${request.base_revision_id}x` };
  t.is((await post('article.updated', stale)).status, 409);
  t.is(fs.readFileSync(join(dir, 'filtered'), 'utf8'), 'x', 'once, for the publication');
  t.is((await post('article.updated', request)).status, 200);
  t.is(fs.readFileSync(join(dir, 'filtered'), 'utf8'), 'xx', 'and once for the update that succeeds');
  fs.appendFileSync(fileOf(dir, data.id), 'By a person.\n');
  t.is((await post('article.published', data)).status, 200);
  t.is(fs.readFileSync(join(dir, 'filtered'), 'utf8'), 'xx', 'and not for a redelivery, also after an edit');
  // As another receiver on the folder leaves it: only a look at the folder tells that the article is there.
  fs.renameSync(fileOf(dir, data.id), join(dir, 'content/moved-meanwhile.md'));
  t.is((await post('article.published', data)).status, 200);
  t.is(fs.readFileSync(join(dir, 'filtered'), 'utf8'), 'xx', 'nor does one whose file has moved meanwhile');
});

test.serial(
  '4xx-routes: context.throw, and what is asked of articles in vain, answer with their status and, below 500, their reason; what throws is 500 without its words',
  async (t) => {
    const { origin, log } = receiver();
    for (const [path, status, words] of [
      ['private', 403, /^\{"error":"for members alone"\}$/],
      ['hold/no-such', 404, /no-such/],
      ['unavailable', 503, /^\{"error":"this route failed; the receiver’s log says why"\}$/],
      ['broken', 500, /^\{"error":"this route failed; the receiver’s log says why"\}$/],
    ] as const) {
      const answer = await fetch(`${origin}/-/routes/${path}`);
      t.is(answer.status, status, path);
      t.regex(await answer.text(), words);
    }
    t.false(/for members alone|no-such/.test(JSON.stringify(log)), 'no failure');
  },
);

test.serial(
  '405-routes: a route answers only its own methods, and names them; a method that no route has gets no empty Allow',
  async (t) => {
    const { origin } = receiver();
    const wrong = await fetch(`${origin}/-/routes/subscribe`);
    t.deepEqual(
      [wrong.status, wrong.headers.get('allow'), await wrong.text()],
      [405, 'POST', '{"error":"GET is not allowed here; use POST"}'],
    );
    t.is(await (await fetch(`${origin}/-/routes/subscribe`, { method: 'POST' })).text(), 'subscribed');
    const { status, headers } = await fetch(`${origin}/-/routes/anything`, { method: 'MKCOL' });
    t.true([404, 405, 501].includes(status), String(status));
    t.is(headers.get('allow'), null);
    t.is(await (await fetch(`${origin}/-/blocks/list`)).text(), 'blocked');
  },
);

test.serial('200-routes: a route finds JSON and forms in the body of the request', async (t) => {
  const post = async (body: string, type: string) => {
    const headers = { 'Content-Type': type };
    return fetch(`${receiver().origin}/-/routes/echo`, { method: 'POST', body, headers });
  };
  t.deepEqual(await (await post('{"a":["ü"]}', 'application/json')).json(), { a: ['ü'] });
  t.deepEqual(await (await post('a=1&b=%C3%BC', 'application/x-www-form-urlencoded')).json(), {
    a: '1',
    b: 'ü',
  });
  t.is((await post('{"a":', 'application/json')).status, 400);
});

/** A body whose length is not announced. */
function inChunks(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 50_000);
      left -= size;
      if (size > 0) controller.enqueue(new Uint8Array(size));
      else controller.close();
    },
  });
}

test.serial(
  '413-route-body: a route reads 1,000,000 bytes, and never gets a body that is larger; one of unknown length is cut off',
  async (t) => {
    const { origin, log } = receiver();
    const before = log.length;
    const post = async (path: string, body: Uint8Array | ReadableStream<Uint8Array>) => {
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
      const answer = await fetch(`${origin}/-/routes${path}`, init);
      return [answer.status, await answer.json()];
    };
    for (const path of ['/loop', '/events']) {
      for (const body of [new Uint8Array(1_000_000), inChunks(1_000_000)])
        t.deepEqual(await post(path, body), [200, { bytes: 1_000_000 }]);
      const error = 'body is over 1000000 bytes, the most that a route of a plugin reads';
      t.deepEqual(await post(path, new Uint8Array(1_000_001)), [413, { error }]);
      await t.throwsAsync(post(path, inChunks(1_000_001)));
    }
    const said = log.slice(before).filter(({ level }) => Number(level) >= 40);
    t.deepEqual(said, [], 'strangers do not fill the log');
  },
);

// Last, as it ends the receiver of this file.
test.serial(
  '200-retries-pass-filters: after a restart, retries of what is stored are answered as before, whatever a new plugin does',
  async (t) => {
    const data = article();
    const { text } = await receiver().post('article.published', data);
    const { request } = await publishForUpdate(receiver(), data);
    const updated = await receiver().post('article.updated', request);
    t.is(updated.status, 200);
    await receiver().close();

    const broken = `export default { name: 'broken', receiver: (host) => host.addFilter('article.draft', () => { throw new Error('no'); }) };`;
    fs.writeFileSync(join(dir, 'plugins/e-broken.mjs'), broken);
    const { post } = await startHere(t, { dir });
    const before = treeOf(dir);
    t.is((await post('article.published', data)).text, text);
    t.is((await post('article.updated', request)).text, updated.text);
    t.is((await post('article.published', article())).status, 500);
    t.deepEqual(treeOf(dir), before);
  },
);
