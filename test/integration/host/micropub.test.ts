import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'ava';
import type { Micropub } from 'micropub-helper';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';
import { exampleCode, withPackages, withPlugins } from '../../support/with-plugins.js';

// The numbers are those of the published tests for servers (https://micropub.rocks), in words of our own.

const { Micropub: Client }: { Micropub: typeof Micropub } = createRequire(import.meta.url)('micropub-helper');
const TOKEN = 'a-token-for-everything';
const FORM = 'application/x-www-form-urlencoded';

const config = { git: false, site: { search: false } };
const env = {
  MICROPUB_TOKENS: `${TOKEN}, a-token-for-reading read, a-token-for-drafts create, a-token-for-media media, a-token-for-deleting delete`,
};
const receiver = sharedHere(test, { config, env }, (dir) => {
  withPlugins(dir, { micropub: exampleCode('micropub') });
  withPackages(dir);
});
const { dir } = receiver;

interface Asked {
  readonly status: number;
  readonly location: string;
  readonly json: {
    readonly error?: string;
    readonly type?: readonly string[];
    readonly properties: Readonly<Record<string, readonly unknown[]>>;
  };
}

async function ask(path: string, init: RequestInit, token: string | undefined = TOKEN): Promise<Asked> {
  const headers = new Headers(init.headers);
  if (token !== '') headers.set('authorization', `Bearer ${token}`);
  // Without this, fetch may reuse a connection that the receiver has just closed because it was idle.
  headers.set('connection', 'close');
  const response = await fetch(`${receiver().origin}/micropub${path}`, { ...init, headers });
  const location = response.headers.get('location') ?? '';
  return { status: response.status, location, json: (await response.json()) as Asked['json'] };
}

const postForm = (fields: string, token?: string) =>
  ask('', { method: 'POST', body: fields, headers: { 'content-type': FORM } }, token);

const postJson = (body: unknown, token?: string) =>
  ask(
    '',
    { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    token,
  );

const create = (properties: object) => postJson({ type: ['h-entry'], properties });

const source = (url: string, more = '') => ask(`?q=source&url=${encodeURIComponent(url)}${more}`, {});

const sourceOf = async (url: string) => (await source(url)).json.properties;

const fileAt = (url: string) => {
  const found = articleFiles(dir).find((file) => fs.readFileSync(file, 'utf8').includes(`url: "${url}"`));
  if (found === undefined) throw new Error(`there is no file of ${url}`);
  return found;
};

const pageAt = (url: string) => join(dir, 'public', new URL(url).pathname, 'index.html');

/** The page of a post, once it is there. */
async function htmlOf(url: string): Promise<string> {
  await until('the post has its page', () => fs.existsSync(pageAt(url)));
  return fs.readFileSync(pageAt(url), 'utf8');
}

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const jpg = Buffer.concat([Buffer.of(0xff, 0xd8, 0xff, 0xe0, 0, 16), Buffer.from('JFIF'), Buffer.alloc(40)]);

const CHECKIN = { type: ['h-card'], properties: { name: ['The Gardener'], latitude: [45.5] } };
const PHOTO = 'https://images.example/heap.jpg';
const HEAP = { value: PHOTO, alt: 'A "heap" [of] <leaves>' };
const OTHER = 'https://images.example/bed.jpg?size=2&crop=1';
const AS_HTML = OTHER.replace('&', '&amp;');

/** Number, what is sent: a form or the properties of JSON; what the post has then, if not that; and what its page shows. */
const CREATED: readonly (readonly [number, string | object, has?: object | undefined, shows?: string])[] = [
  [100, 'content=A+note+of+a+form', { content: ['A note of a form'] }],
  [101, 'content=Of+two&category[]=one&category[]=two', { category: ['one', 'two'] }],
  [104, `content=Seen&photo=${encodeURIComponent(PHOTO)}`, { photo: [PHOTO] }, `<img src="${PHOTO}"`],
  [107, 'content=Of+one&category=only', { category: ['only'] }],
  [200, { content: ['A note of JSON'] }],
  [201, { content: ['JSON of two'], category: ['one', 'two'] }],
  [202, { content: [{ html: '<p>In <b>bold</b> words.</p>' }] }, undefined, 'In <b>bold</b> words.'],
  [203, { content: ['JSON saw'], photo: [PHOTO] }],
  [204, { content: ['At lunch'], published: ['2017-05-31T12:03:36-07:00'], checkin: [CHECKIN] }],
  [205, { content: ['JSON told'], photo: [HEAP] }, undefined, 'alt="A &quot;heap&quot; [of] &lt;leaves&gt;"'],
  [206, { content: [{ html: '<p>Two.</p>' }], photo: [PHOTO, OTHER] }, undefined, `<img src="${AS_HTML}"`],
];

for (const [number, sent, has = sent, shows] of CREATED)
  test(`micropub ${number}: a post is created, and its source is what was sent`, async (t) => {
    const { status, location } = await (typeof sent === 'string'
      ? postForm(`h=entry&${sent}`)
      : create(sent));
    t.is(status, 201);
    t.like(await sourceOf(location), has as Asked['json']['properties']);
    if (shows !== undefined) t.true((await htmlOf(location)).includes(shows));
  });

test('micropub 300, 301: a post is created with its photos, which are on the site', async (t) => {
  for (const [names, files] of [
    ['photo', [jpg]],
    ['photo[]', [gif, png]],
  ] as const) {
    const form = new FormData();
    form.append('h', 'entry');
    form.append('content', `Photos by ${names}`);
    for (const bytes of files) form.append(names, new Blob([bytes]), 'photo');
    const { status, location } = await ask('', { method: 'POST', body: form });
    t.is(status, 201);
    const { photo = [] } = await sourceOf(location);
    t.is(photo.length, files.length);
    const html = await htmlOf(location);
    for (const [index, url] of photo.entries()) {
      const { pathname } = new URL(String(url));
      t.true(html.includes(pathname));
      await until('the photo is on the site', () => fs.existsSync(join(dir, 'public', pathname)));
      t.deepEqual(fs.readFileSync(join(dir, 'public', pathname)), files[index]);
    }
  }
});

test('micropub 400 to 404: properties are replaced, added and deleted, one value or all', async (t) => {
  const { location: url } = await create({ content: ['Before'], photo: [PHOTO], mood: ['calm'] });
  const update = async (change: object, has: object) => {
    t.is((await postJson({ action: 'update', url, ...change })).status, 200);
    t.like(await sourceOf(url), has);
  };
  await update({ replace: { content: ['After'] } }, { content: ['After'], photo: [PHOTO] });
  await update({ add: { category: ['one'] } }, { category: ['one'] });
  await update({ add: { category: ['two', 'three'] } }, { category: ['one', 'two', 'three'] });
  await update({ delete: { category: ['one'] } }, { category: ['two', 'three'] });
  await update({ delete: ['category', 'mood'] }, { category: [], content: ['After'] });
  await update({ replace: { name: ['A name'] }, delete: ['photo'] }, { name: ['A name'] });
  const text = fs.readFileSync(fileAt(url), 'utf8');
  t.notRegex(text, /heap|calm/);
  t.regex(text, /^title: "A name"$/m);
  await until(
    'the page shows the update',
    () => fs.existsSync(pageAt(url)) && fs.readFileSync(pageAt(url), 'utf8').includes('A name'),
  );
});

test('micropub 405: an update whose values are no lists is refused', async (t) => {
  const { location: url } = await create({ content: ['Stays'] });
  for (const change of [{ replace: { content: 'x' } }, { add: { content: 7 } }, { delete: 'content' }]) {
    const { status, json } = await postJson({ action: 'update', url, ...change });
    t.is(status, 400);
    t.is(json.error, 'invalid_request');
  }
  t.deepEqual((await sourceOf(url)).content, ['Stays']);
});

test('micropub 500 to 503: a post is deleted and restored at its URL, by a form and by JSON', async (t) => {
  const { location: url } = await create({ content: ['To be deleted'] });
  for (const send of [
    (action: string) => postForm(`action=${action}&url=${encodeURIComponent(url)}`),
    (action: string) => postJson({ action, url }),
  ]) {
    t.is((await send('delete')).status, 200);
    t.deepEqual((await sourceOf(url))['post-status'], ['draft'], 'it is held');
    t.is((await send('undelete')).status, 200);
    t.like(await sourceOf(url), { 'post-status': ['published'], content: ['To be deleted'] });
  }
});

test('micropub 600 to 603: the configuration, where to syndicate, and the source of a post', async (t) => {
  const client = new Client({ token: TOKEN, micropubEndpoint: `${receiver().origin}/micropub` });
  t.like(await client.query('config'), {
    'media-endpoint': `${receiver().origin}/micropub/media`,
    'syndicate-to': [],
  });
  t.like(await client.query('syndicate-to'), { 'syndicate-to': [] });
  const { location } = await create({ content: ['To be read'], category: ['micropub', 'test'] });
  const two = { content: ['To be read'], category: ['micropub', 'test'] };
  t.like((await source(location)).json, {
    type: ['h-entry'],
    properties: { ...two, 'post-status': ['published'] },
  });
  for (const [query, properties] of [
    ['&properties[]=content&properties[]=category&properties[]=toString', two],
    ['&properties=content', { content: two.content }],
  ] as const)
    t.deepEqual((await source(location, query)).json, { properties });
});

test('micropub 700, 701, 702: the media endpoint takes pictures', async (t) => {
  for (const [number, bytes] of [jpg, png, gif].entries()) {
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'picture');
    const { status, location } = await ask('/media', { method: 'POST', body: form });
    t.is(status, 201);
    t.regex(location, [/\.jpg$/, /\.png$/, /\.gif$/][number] ?? /^$/);
  }
  const page = new FormData();
  page.append('file', new Blob(['<script>alert(1)</script>'], { type: 'image/png' }), 'picture.png');
  t.is((await ask('/media', { method: 'POST', body: page })).status, 415);
  t.is((await ask('/media', { method: 'POST', body: new FormData() })).status, 400);
});

test('micropub 800, 801, 802: the token comes in the header or in the body, and is not stored', async (t) => {
  t.is((await postForm('h=entry&content=By+the+header')).status, 201);
  const { status, location } = await postForm(`h=entry&content=By+the+body&access_token=${TOKEN}`, '');
  t.is(status, 201);
  t.false(JSON.stringify(await sourceOf(location)).includes(TOKEN));
  t.false(fs.readFileSync(fileAt(location), 'utf8').includes(TOKEN));
  t.false(JSON.stringify(receiver().log).includes(TOKEN));
});

test('micropub 803, 804, 805: no token, a token without the scope, and two tokens are refused', async (t) => {
  const before = articleFiles(dir).filter((file) => fs.readFileSync(file, 'utf8').includes('Refused'));
  t.deepEqual(before, []);
  const note = 'h=entry&content=Refused';
  for (const [answer, status, error] of [
    [postForm(note, ''), 401, 'unauthorized'],
    [postForm(note, 'another-token'), 401, 'unauthorized'],
    [postForm(`${note}&access_token=`, ''), 401, 'unauthorized'],
    [postForm(note, 'a-token-for-reading'), 401, 'insufficient_scope'],
    [ask('?q=source', {}, 'a-token-for-media'), 401, 'insufficient_scope'],
    [postForm(`${note}&access_token=${TOKEN}`), 400, 'invalid_request'],
  ] as const)
    t.like(await answer, { status, json: { error } });
  const { location } = await postForm('h=entry&content=Of+one+scope', 'a-token-for-drafts');
  t.like(await postJson({ action: 'delete', url: location }, 'a-token-for-drafts'), {
    status: 401,
    json: { error: 'insufficient_scope' },
  });
  t.is(articleFiles(dir).filter((file) => fs.readFileSync(file, 'utf8').includes('Refused')).length, 0);
});

test('micropub: micropub-helper creates in three forms, uploads, updates, deletes and restores', async (t) => {
  const micropubEndpoint = `${receiver().origin}/micropub`;
  const client = new Client({ token: TOKEN, micropubEndpoint, mediaEndpoint: `${micropubEndpoint}/media` });
  t.true(await client.verifyToken());
  const media = await client.postMedia(new File([new Uint8Array(png)], 'a.png'));
  const properties = { name: ['By a client'], content: ['Its text'], photo: [media] };
  const url = String(await client.create({ type: ['h-entry'], properties }));
  t.true((await htmlOf(url)).includes(new URL(media).pathname));
  const form = { h: 'entry', content: 'A form of the client', category: ['a', 'b'] };
  t.deepEqual((await sourceOf(String(await client.create(form, 'form')))).category, ['a', 'b']);
  const photo = new File([new Uint8Array(gif)], 'a.gif');
  // Its types know no files, unlike its code.
  const parts = { h: 'entry', content: 'Parts of the client', photo: photo as unknown as string };
  t.is((await sourceOf(String(await client.create(parts, 'multipart')))).photo?.length, 1);
  await client.update(url, { replace: { content: ['Another text'] } });
  t.like(await client.querySource(url, ['content']), { properties: { content: ['Another text'] } });
  await client.delete(url);
  await until('the page is gone', () => !fs.existsSync(pageAt(url)));
  await client.undelete(url);
  await htmlOf(url);
});

test('micropub: a draft is held, a date to come schedules, and only what was deleted is restored, to the state that it had', async (t) => {
  const draft = await create({ content: ['Not yet'], 'post-status': ['draft'], 'mp-slug': ['not-yet'] });
  t.regex(draft.location, /\/articles\/not-yet\/$/);
  const status = async () => (await sourceOf(draft.location))['post-status'];
  t.deepEqual(await status(), ['draft']);
  const send = (action: string) => postJson({ action, url: draft.location }, 'a-token-for-deleting');
  t.is((await send('undelete')).status, 400);
  for (const action of ['delete', 'delete', 'undelete']) t.is((await send(action)).status, 200);
  t.deepEqual(await status(), ['draft']);
  t.false(fs.existsSync(pageAt(draft.location)));
  await postJson({ action: 'update', url: draft.location, replace: { 'post-status': ['published'] } });
  await htmlOf(draft.location);
  for (const action of ['delete', 'undelete']) await send(action);
  t.deepEqual(await status(), ['published']);
  const next = `${new Date().getUTCFullYear() + 1}-05-01T10:00:00Z`;
  const later = await create({ content: ['Next year'], published: [next] });
  t.regex(fs.readFileSync(fileAt(later.location), 'utf8'), /^date: "\d{4}-05-01T10:00:00Z"$/m);
  t.false(fs.existsSync(pageAt(later.location)));
});

test('micropub: a request that is sent again, or several times at once, is one post, and does not undo an update', async (t) => {
  const post = { content: ['At first'], 'mp-slug': ['sent-again'] };
  const all = await Promise.all(Array.from({ length: 4 }, () => create(post)));
  t.deepEqual([...new Set(all.map(({ status }) => status))], [201]);
  const [url = '', ...others] = new Set(all.map(({ location }) => location));
  t.deepEqual(others, []);
  await postJson({ action: 'update', url, replace: { content: ['By now'] } });
  t.like(await create(post), { status: 201, location: url });
  t.deepEqual((await sourceOf(url)).content, ['By now']);
});

test('410-micropub: a post whose file was deleted is not stored again', async (t) => {
  const { location: url } = await create({ content: ['Deleted by its owner'] });
  fs.unlinkSync(fileAt(url));
  await until('the post is known to be deleted', async () => (await source(url)).status === 400);
  t.is((await create({ content: ['Deleted by its owner'] })).status, 410);
});

test('400-micropub: hostile requests are refused, and none is stored', async (t) => {
  const { json } = await receiver().post('article.published', article({ id: 'not-of-micropub' }));
  t.is((await postJson({ action: 'delete', url: json.url })).status, 400);
  for (const body of [
    null,
    [],
    { type: ['h-event'], properties: { content: ['x'] } },
    { type: ['h-entry'], properties: [] },
    { type: ['h-entry'], properties: { content: 'x' } },
    { type: ['h-entry'], properties: { content: [{ html: 7 }] } },
    { type: ['h-entry'], properties: { content: ['x'], photo: ['javascript:alert(1)'] } },
    { type: ['h-entry'], properties: { content: ['x'], category: [{}] } },
    { type: ['h-entry'], properties: { content: ['x'], published: ['soon'] } },
    { action: 'constructor' },
    { action: 'update', url: 'https://elsewhere.example/' },
    { action: 'delete' },
  ])
    t.is((await postJson(body)).status, 400, JSON.stringify(body));
  t.is((await postForm('h=event&content=x')).status, 400);
  const malformed = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } };
  t.is((await ask('', malformed)).status, 400);
  t.false(articleFiles(dir).some((file) => /^title: "(?:x|Untitled)"$/m.test(fs.readFileSync(file, 'utf8'))));
});
