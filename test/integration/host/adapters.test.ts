import fs from 'node:fs';
import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const ADAPTER = `export default { name: 'inlet', receiver(host) {
  host.addFilter('article.draft', (draft) => draft.source?.spam ? host.hold('it is spam') : draft);
  host.addFilter('article.draft', (draft) => draft.source?.shout ? { ...draft, title: draft.title.toUpperCase() } : draft);
  host.addFilter('article.frontMatter', (extra, { source }) => source?.series ? { ...extra, series: source.series } : extra);
  host.adapter({
    path: '/articles/inlet',
    verify({ headers, body }) {
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
} };`;

const receiver = sharedHere(test, { storeOnly: true }, (dir) => withPlugins(dir, { inlet: ADAPTER }));
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
  await until('the log says what failed', () =>
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

test('200-adapter: the same again writes nothing, other content is an update that keeps URL and date, and the service may update it then', async (t) => {
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

  const { revision_id: base_revision_id } = await receiver().find(first.json.url);
  const ofService = update({ target_id: 'a-2', target_url: first.json.url, base_revision_id });
  t.is((await receiver().post('article.updated', ofService)).status, 200);
  t.is((await send(incoming('a-2', { title: 'Changed' }))).json.outcome, 'known');
  t.is((await receiver().find(first.json.url)).revision_id, ofService.id);
});

test('200-adapter: a service releases what it has held itself, and nothing that a plugin or a person holds', async (t) => {
  const held = () => readStored(fileOf(dir, 'spam')).article.held;
  for (const [title, state, reason] of [
    ['First', 'live', 'it is spam'],
    ['Second', 'live', 'it is spam'],
    ['Third', undefined, 'it is spam'],
    ['Fourth', 'held', 'it is spam'],
  ]) {
    const { status } = await send(incoming('spam', { title, state, source: { spam: true } }));
    t.deepEqual([status, held()], [200, reason], title);
  }
  for (const [title, state, reason] of [
    ['Fifth', undefined, 'it is spam'],
    ['Sixth', 'held', 'it is spam'],
    ['Seventh', 'live', 'it is spam'],
  ]) {
    const { status } = await send(incoming('spam', { title, state }));
    t.deepEqual([status, held()], [200, reason], title);
  }
  const ofService = () => readStored(fileOf(dir, 'pending')).article.held;
  for (const [title, state, reason] of [
    ['First', 'held', 'by its service'],
    ['Second', undefined, 'by its service'],
    ['Third', 'live', undefined],
  ]) {
    await send(incoming('pending', { title, state }));
    t.is(ofService(), reason, title);
  }
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

test('no article gets the address of an adapter', async (t) => {
  const { json } = await receiver().post('article.published', article({ slug: 'inlet' }));
  t.regex(json.url, /\/articles\/inlet-2\/$/);
});
