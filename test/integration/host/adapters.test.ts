import fs from 'node:fs';
import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { withPlugins } from '../../support/with-plugins.js';

const ADAPTER = `export default { name: 'inlet', secrets: ['INLET_TOKENS'], receiver(host) {
  host.addFilter('article.draft', (draft) => draft.source?.shout ? { ...draft, title: draft.title.toUpperCase() } : draft);
  host.addFilter('article.frontMatter', (extra, { source }) => source?.series ? { ...extra, series: source.series } : extra);
  host.adapter({
    path: '/articles/inlet',
    verify({ headers, body }) {
      if (headers['x-fault'] === 'verify') throw new Error('inside');
      if (headers['x-fault'] === 'truthy') return 1;
      if (headers['x-fault'] === 'closed') throw Object.assign(new Error('closed'), { status: 403, expose: true });
      return headers['x-key'] === 'open' && Buffer.isBuffer(body);
    },
    receive(payload) {
      if (payload.fault === 'throw') throw new Error('inside');
      if (payload.answer) return host.answer(...payload.answer);
      if (payload.deep) return host.answer(200, 1n);
      return payload.list ?? payload;
    },
  });
  host.adapter({
    path: '/shelf',
    verify: ({ query }) => query.key === 'open',
    routes: {
      'GET /': () => ({ all: true }),
      'GET, DELETE /books/:id': (payload, { method, params }) =>
        host.answer(200, { method, params, hasBody: payload !== undefined }, { 'X-Method': method }),
      'GET /none': () => undefined,
    },
  });
  host.adapter({
    path: '/guarded',
    auth: { kind: 'bearer', secret: 'INLET_TOKENS' },
    routes: {
      'POST /': (payload, { caller }) => caller,
      'POST /change': ({ id, ...over }) => host.articles.change(id, (before) => ({ ...before, ...over })),
      'POST /edit': async ({ id, body }) => {
        const { revision } = await host.articles.get(id);
        await host.articles.edit(id, revision, { body }, { name: 'Ada' });
        return {};
      },
      'POST /once': ({ key, ...article }) => host.articles.receive(article, { once: key }),
    },
    errorBody: () => null,
  });
  host.adapter({
    path: '/crate',
    maxBytes: 3_000_000,
    verify: () => true,
    parse: ({ body }) => body.length,
    receive(length, { query }) {
      if (query.full === undefined) return host.answer(200, { length });
      throw Object.assign(new Error('the crate is full'), { status: 507, code: 'FULL', expose: true });
    },
    errorBody: (fault) => ({ fault }),
  });
  host.adapter({
    path: '/parsed',
    verify: () => true,
    async receive(payload, { origin, query, body }) {
      const { photo, ...fields } = Object(payload);
      const photos = await Promise.all([photo ?? []].flat().map(async (file) => (await host.assets.put(file)).type));
      return host.answer(200, { origin, query, fields, photos, length: body.length });
    },
  });
  host.adapter({
    path: '/stored',
    verify: () => true,
    receive: async ({ id }) => host.answer(200, await host.articles.get(id)),
  });
} };`;

const env = { INLET_TOKENS: 'a-long-token create,another-token' };
const receiver = sharedHere(test, { storeOnly: true, env }, (dir) => withPlugins(dir, { inlet: ADAPTER }));
const { dir } = receiver;

/** What an adapter answers: either an article, or an error. */
interface AdapterJson {
  readonly id: string;
  readonly url: string;
  readonly outcome: string;
  readonly error: string;
  readonly articles: readonly { readonly outcome?: string; readonly error?: string }[];
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly json: AdapterJson;
}

async function send(body: unknown, headers: Record<string, string> = { 'x-key': 'open' }): Promise<Sent> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${receiver().origin}/articles/inlet`, {
    method: 'POST',
    body: text,
    // Without this, fetch may reuse a connection that the receiver has just closed because it was idle.
    headers: { ...headers, connection: 'close' },
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as AdapterJson };
}

const incoming = (id: string, over: object = {}) => ({
  id,
  title: `Article ${id}`,
  contentHtml: `<p>The text of ${id}.</p>`,
  ...over,
});

test('401-adapter: what verify does not answer with true is refused before it is parsed', async (t) => {
  for (const headers of [{}, { 'x-key': 'wrong' }, { 'x-fault': 'truthy' }] as Record<string, string>[]) {
    const { status, json } = await send('no JSON', headers);
    t.is(status, 401);
    t.deepEqual(json, { error: 'this request could not be verified' });
  }
});

test('403-adapter: a function may refuse a request with a status, and errorBody says in which form', async (t) => {
  const { status, json } = await send('no JSON', { 'x-fault': 'closed' });
  t.is(status, 403);
  t.deepEqual(json, { error: 'closed' });
  for (const [path, init, fault] of [
    ['/crate?full', { method: 'POST' }, { status: 507, code: 'FULL', message: 'the crate is full' }],
    [
      '/crate',
      { method: 'GET' },
      { status: 405, code: 'METHOD_NOT_ALLOWED', message: 'GET is not accepted here; use POST' },
    ],
    [
      '/crate',
      { method: 'POST', body: 'x'.repeat(3_000_001) },
      {
        status: 413,
        code: 'BODY_TOO_LARGE',
        message: 'body is over 3000000 bytes, the most that is accepted',
      },
    ],
  ] as const) {
    const response = await fetch(`${receiver().origin}${path}`, init);
    t.is(response.status, fault.status);
    t.deepEqual(await response.json(), { fault });
  }
  const whole = await fetch(`${receiver().origin}/crate`, { method: 'POST', body: 'x'.repeat(3_000_000) });
  t.deepEqual(await whole.json(), { length: 3_000_000 });
});

test('200-adapter: forms, files and queries are parsed, and files that are bodies are not', async (t) => {
  const parse = async (body: RequestInit['body'], headers: Record<string, string> = {}) => {
    const url = `${receiver().origin}/parsed?a=1&b[]=2`;
    const response = await fetch(url, {
      method: 'POST',
      body: body ?? null,
      headers: { ...headers, connection: 'close' },
    });
    return { status: response.status, json: (await response.json()) as object };
  };
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const form = new FormData();
  form.append('photo[]', new Blob([gif]), 'a.gif');
  form.append('text', 'ä');
  const { origin } = receiver();
  t.deepEqual((await parse(new URLSearchParams('x=1&x=2'))).json, {
    origin,
    query: { a: '1', b: ['2'] },
    fields: { x: ['1', '2'] },
    photos: [],
    length: 7,
  });
  t.like((await parse(form)).json, { fields: { text: 'ä' }, photos: ['image/gif'] });
  t.like((await parse('{"x":1}')).json, { fields: { x: 1 } });
  t.like((await parse(gif, { 'content-type': 'image/gif' })).json, { fields: {}, length: gif.length });
  t.is((await parse('--x\r\nnonsense', { 'content-type': 'multipart/form-data; boundary=x' })).status, 400);
});

test('200-adapter: an update with a state hides the article, and shows it at its date', async (t) => {
  const next = `${new Date().getUTCFullYear() + 1}-05-01T10:00:00Z`;
  const stored = async () => {
    const response = await fetch(`${receiver().origin}/stored`, { method: 'POST', body: '{"id":"shown"}' });
    return (await response.json()) as { state: string; date: string; title: string; revision: string };
  };
  await send(incoming('shown', { date: '2026-01-02T03:04:05Z' }));
  for (const [over, expected] of [
    [
      { title: 'Hidden', state: 'held' },
      { title: 'Hidden', state: 'held', date: '2026-01-02T03:04:05Z' },
    ],
    [{ title: 'Still' }, { title: 'Still', state: 'held' }],
    [
      { title: 'Still', state: 'live', date: next },
      { state: 'scheduled', date: next },
    ],
    [
      { title: 'Still', state: 'live', date: '2026-02-03T04:05:06Z' },
      { state: 'live', date: '2026-02-03T04:05:06Z' },
    ],
  ] as const) {
    t.is((await send(incoming('shown', over))).json.outcome, 'updated', JSON.stringify(over));
    t.like(await stored(), expected);
  }
});

test('405, 400, 413, 415 and 500 of an adapter, with words that say nothing of the inside', async (t) => {
  const get = await fetch(`${receiver().origin}/articles/inlet`);
  t.is(get.status, 405);
  t.is(get.headers.get('allow'), 'POST');
  t.is((await send('no JSON')).status, 400);
  t.is((await send('x'.repeat(1_000_001))).status, 413);
  t.is((await send('{}', { 'x-key': 'open', 'content-encoding': 'gzip' })).status, 415);
  const { status, json } = await send({ fault: 'throw' });
  t.is(status, 500);
  t.regex(json.error, /of plugin inlet failed/);
  t.notRegex(json.error, /inside/);
  t.true(
    receiver().log.some(({ adapter, err }) => adapter === 'inlet' && /inside/.test(JSON.stringify(err))),
  );
});

test('200-adapter: an article is stored before the answer, as a delivery is, and found by a lookup', async (t) => {
  const { status, json } = await send(
    incoming('a-1', { tags: ['Soil'], source: { shout: true, series: 'one' } }),
  );
  t.is(status, 200);
  t.like(json, { received: true, id: 'a-1', outcome: 'stored' });
  const text = fs.readFileSync(fileOf(dir, 'a-1'), 'utf8');
  t.regex(text, /^title: "ARTICLE A-1"$/m);
  t.regex(text, /^series: "?one"?$/m);
  t.notRegex(text, /shout/);
  const found = await receiver().find(json.url);
  t.is(found.id, 'a-1');
  t.is(found.content_html, '<p>The text of a-1.</p>');
});

test('200-adapter: the same again writes nothing, other content is an update that keeps URL and date', async (t) => {
  const first = await send(incoming('a-2', { date: '2026-01-02T03:04:05Z' }));
  const path = fileOf(dir, 'a-2');
  const { mtimeMs } = fs.statSync(path);
  const again = await send(incoming('a-2', { date: '2026-02-02T03:04:05Z' }));
  t.is(again.json.outcome, 'known');
  t.is(fs.statSync(path).mtimeMs, mtimeMs);
  const before = readStored(path).article;
  const changed = await send(incoming('a-2', { title: 'Changed', slug: 'elsewhere' }));
  t.like(changed.json, { outcome: 'updated', url: first.json.url });
  const { article: after, edited } = readStored(path);
  t.false(edited);
  t.like(after, { title: 'Changed', date: '2026-01-02T03:04:05Z', url: before.url, slug: before.slug });
  t.not(after.revision, before.revision);
  t.is((await send(incoming('a-2', { title: 'Changed' }))).json.outcome, 'known');
});

test('409-adapter: a person’s edit is never overwritten, and the content that it was made from is known', async (t) => {
  await send(incoming('a-3'));
  const path = fileOf(dir, 'a-3');
  fs.appendFileSync(path, '\nMy own line.\n');
  const edited = fs.readFileSync(path, 'utf8');
  t.is((await send(incoming('a-3'))).json.outcome, 'known');
  const { status, json } = await send(incoming('a-3', { title: 'Changed' }));
  t.is(status, 409);
  t.regex(json.error, /"a-3" was edited by a person/);
  t.is(fs.readFileSync(path, 'utf8'), edited);
});

test('200-adapter: an update of the service after one of an adapter goes by the revision of the lookup', async (t) => {
  const { json } = await send(incoming('a-4'));
  const { revision_id: base } = await receiver().find(json.url);
  const draft = {
    ...article({ id: 'draft-a-4' }),
    target_id: 'a-4',
    target_url: json.url,
    revision_id: 'draft-a-4',
  };
  const answer = await receiver().post('article.updated', { ...draft, base_revision_id: base });
  t.is(answer.status, 200);
  t.is((await send(incoming('a-4'))).json.outcome, 'known');
  t.is((await receiver().find(json.url)).revision_id, 'draft-a-4');
});

test('400-adapter: of a batch, what is right is stored, and the rest is named', async (t) => {
  const list = [incoming('a-5'), { id: 'a-6', title: 7 }, incoming('a-7', { date: 'soon' }), incoming('a-8')];
  const { status, json } = await send({ list });
  t.is(status, 400);
  t.deepEqual(
    json.articles.map(({ outcome, error }) => outcome ?? error),
    [
      'stored',
      'an article that was handed over has "7" as its title; it must be a text',
      'an article that was handed over has the date "soon", which is not ISO 8601 such as 2026-11-19T08:00:00Z',
      'stored',
    ],
  );
});

test('an adapter answers what it wants; what HTTP does not allow is 500, in words that name the plugin', async (t) => {
  const { status, headers, json } = await send({ answer: [202, { mine: true }, { 'X-Mine': 'yes' }] });
  t.is(status, 202);
  t.is(headers.get('x-mine'), 'yes');
  t.deepEqual(json, { mine: true });
  for (const [body, words] of [
    [{ answer: [99, {}] }, /^plugin inlet: host\.answer has the status "99"; .* from 200 to 599$/],
    [{ answer: [200, {}, { 'X-Mine': 'a\r\nb' }] }, /has the header "X-Mine"/],
    [{ answer: [200, {}, { 'content-length': '7' }] }, /has the header content-length, which/],
    [{ deep: true }, /has a body that is not JSON/],
  ] as const) {
    const refused = await send(body);
    t.is(refused.status, 500);
    t.regex(refused.json.error, words);
  }
});

test('200-adapter: an optional field that is null or empty counts as missing', async (t) => {
  const texts = ['markdown', 'description', 'slug', 'tags', 'author', 'keyword', 'image', 'date', 'state'];
  const empty = Object.fromEntries(texts.map((name) => [name, '']));
  const missing = Object.fromEntries([...texts, 'source', 'frontMatter'].map((name) => [name, null]));
  for (const [id, over] of [
    ['null-1', missing],
    ['empty-1', empty],
  ] as const) {
    const { status, json } = await send(incoming(id, over));
    t.is(status, 200, JSON.stringify(json));
    t.true(json.url.endsWith(`/articles/article-${id}/`), 'its slug is made of its title');
    t.is((await send(incoming(id))).json.outcome, 'known', 'the same as without them');
  }
  t.is((await send(incoming('markdown-1', { contentHtml: '', markdown: 'A *text*.' }))).status, 200);
});

test('400-adapter: a field of another type is refused in words that name it', async (t) => {
  for (const [field, value, words] of [
    ['id', '', 'has an empty id'],
    ['title', undefined, 'has nothing as its title; it must be a text'],
    ['contentHtml', '', 'has neither contentHtml nor markdown'],
    ['description', false, 'has "false" as its description; it must be a text'],
    ['tags', 'one, two', 'has tags that are not a list of texts'],
    ['date', '19.11.2026', 'has the date "19.11.2026", which is not ISO 8601'],
    ['image', '/uploads/a.jpg', 'has the image "/uploads/a.jpg", which is not an absolute URL'],
    ['state', 'draft', 'has the state "draft"; it may be live or held'],
    ['source', 'x', 'has the source "x" instead of an object'],
  ] as const) {
    const { status, json } = await send(incoming('typed-1', { [field]: value }));
    t.is(status, 400, field);
    t.true(json.error.startsWith(`an article that was handed over ${words}`), json.error);
  }
});

test('an adapter has routes, with names in their paths, and answers 404 and 405 itself', async (t) => {
  const shelf = (method: string, path: string) => fetch(`${receiver().origin}${path}`, { method });
  const answer = await shelf('GET', '/shelf/books/a%20b/?key=open');
  t.deepEqual(await answer.json(), { method: 'GET', params: { id: 'a b' }, hasBody: false });
  t.deepEqual(await (await shelf('GET', '/shelf?key=open')).json(), { all: true });
  t.is((await shelf('GET', '/shelf/books/7')).status, 401);
  for (const path of ['/shelf/books', '/shelf/none', '/shelf/books/%ff', '/shelf/books/7/pages'])
    t.is((await shelf('GET', `${path}?key=open`)).status, 404, path);
  const refused = await shelf('PUT', '/shelf/books/7?key=open');
  t.is(refused.status, 405);
  t.is(refused.headers.get('allow'), 'GET, DELETE');
  const head = await shelf('HEAD', '/shelf/books/7?key=open');
  t.is(head.headers.get('x-method'), 'HEAD');
  t.is((await shelf('GET', '/shelfmark?key=open')).status, 404);
});

/** What the guarded adapter answers. */
async function guarded(path: string, body: object, authorization = 'Bearer another-token') {
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${receiver().origin}/guarded${path}`, init);
  const json = (await response.json()) as Readonly<Record<string, string>> | null;
  return { status: response.status, challenge: response.headers.get('www-authenticate'), json };
}

test('401-adapter: the tokens of a secret are known one by one, and one of them is in no line of the log', async (t) => {
  t.like(await guarded('', {}), { status: 200, json: { name: '', scopes: [] } });
  t.like(await guarded('', {}, 'bearer a-long-token'), { status: 200, json: { scopes: ['create'] } });
  for (const wrong of ['', 'Bearer', 'Bearer a-long', 'Bearer a-long-token create', 'Basic another-token'])
    t.like(await guarded('', {}, wrong), { status: 401, challenge: 'Bearer' }, wrong);
  t.false(JSON.stringify(receiver().log).includes('a-long-token'));
});

test('adapter: an article that was handed over is changed, unless a person has edited it in the admin', async (t) => {
  await send(incoming('changed', { frontMatter: { shelf: 'one' }, tags: ['a'] }));
  t.like(await guarded('/change', { id: 'changed', title: 'Other', frontMatter: { row: 2 } }), {
    status: 200,
  });
  const text = fs.readFileSync(fileOf(dir, 'changed'), 'utf8');
  for (const line of [/^title: "Other"$/m, /^tags: \["a"\]$/m, /^shelf: "?one"?$/m, /^row: 2$/m])
    t.regex(text, line);
  t.is((await guarded('/change', { id: 'changed', frontMatter: { id: 'x' } })).status, 400);
  t.is((await guarded('/change', { id: 'no-such' })).status, 404);
  await guarded('/edit', { id: 'changed', body: '<p>Mine.</p>' });
  const mine = fs.readFileSync(fileOf(dir, 'changed'), 'utf8');
  t.regex(mine, /Mine\./);
  t.is((await guarded('/change', { id: 'changed', title: 'Theirs' })).status, 409);
  t.is(fs.readFileSync(fileOf(dir, 'changed'), 'utf8'), mine);
});

test('adapter: a request that is sent again is the same article, also after an update', async (t) => {
  const first = await guarded('/once', incoming('once-1', { key: 'k', title: 'First' }));
  await guarded('/change', { id: 'once-1', title: 'Second' });
  const again = await guarded('/once', incoming('once-2', { key: 'k', title: 'First' }));
  t.like(again, { status: 200, json: { id: 'once-1', outcome: 'known', url: first.json?.url } });
  t.regex(fs.readFileSync(fileOf(dir, 'once-1'), 'utf8'), /^title: "Second"$/m);
});

test('no article gets the address of an adapter', async (t) => {
  const { json } = await receiver().post('article.published', article({ slug: 'inlet' }));
  t.regex(json.url, /\/articles\/inlet-2\/$/);
});
