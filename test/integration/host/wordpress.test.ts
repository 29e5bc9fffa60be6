import fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { sharedHere } from '../../support/receiver-here.js';
import { until } from '../../support/until.js';
import { exampleCode, withPackages, withPlugins } from '../../support/with-plugins.js';

const require = createRequire(import.meta.url);
const POSTS = '/wp-json/wp/v2/posts';
const PASSWORD = 'abcd EFGH 1234 ijkl';

/** What the tests read of a post. */
interface Post {
  readonly id: number;
  readonly status: string;
  readonly link: string;
  readonly slug: string;
  readonly title: { readonly rendered: string; readonly raw: string };
  readonly content: { readonly rendered: string };
  readonly date: string;
  readonly date_gmt: string;
  readonly tags: readonly number[];
  readonly categories: readonly number[];
  readonly featured_media: number;
}

/** A person who edits an article in the admin. */
const EDITOR = `export default { name: 'editor', receiver({ adapter, articles }) {
  adapter({ path: '/edit', verify: () => true, routes: { async 'POST /'({ id }) {
    const { revision } = await articles.get(id);
    return articles.edit(id, revision, { body: '<p>My own words.</p>' }, { name: 'Ada' });
  } } });
} };`;

const config = { git: false, site: { search: false, timeZone: 'Europe/Berlin' } };
const env = { WORDPRESS_APPLICATION_PASSWORDS: `robot:wrong one here, ada:${PASSWORD}` };
const receiver = sharedHere(test, { config, env }, (dir) => {
  withPlugins(dir, { 'wordpress-rest': exampleCode('wordpress-rest'), editor: EDITOR });
  withPackages(dir);
});
const { dir } = receiver;

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A request as a script makes it. */
async function ask(path: string, { method = 'GET', body, ...headers }: Record<string, string> = {}) {
  const response = await fetch(`${receiver().origin}${path}`, {
    method,
    // Without this, fetch may reuse a connection that the receiver has just closed because it was idle.
    headers: { authorization: basic('ada', PASSWORD), ...headers, connection: 'close' },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

const sendJson = (path: string, body: unknown, method = 'POST') =>
  ask(path, { method, body: JSON.stringify(body), 'content-type': 'application/json' });

/** A picture; each number is another one. */
const gif = (n: number) =>
  Buffer.concat([
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    Buffer.of(n),
  ]);

const withTitle = (title: string) =>
  articleFiles(dir).filter((file) => fs.readFileSync(file, 'utf8').includes(`\ntitle: "${title}"\n`)).length;

const page = (link: string) => join(dir, 'public', new URL(link).pathname, 'index.html');
const isPublic = (link: string) => fs.existsSync(page(link));
const isGone = (link: string, title: string) => () =>
  !isPublic(link) && !fs.readFileSync(join(dir, 'public/index.html'), 'utf8').includes(title);

test('wordpress: wpapi finds the API, and creates, publishes, updates, lists and trashes a post', async (t) => {
  const WPAPI = require('wpapi');
  const site = (await WPAPI.discover(`${receiver().origin}/wp-json`)).auth({
    username: 'ada',
    password: PASSWORD,
  });
  t.like(await site.users().me(), { name: 'ada' });
  const draft: Post = await site
    .posts()
    .create({ title: 'Mulch & more', content: '<p>First words.</p>', excerpt: '<p>Why.</p>' });
  t.like(draft, { status: 'draft', slug: 'mulch-more' });
  t.is(draft.title.rendered, 'Mulch & more');
  const file = fileOf(dir, `wp-${draft.id}`);
  t.regex(fs.readFileSync(file, 'utf8'), /^held: /m);
  t.false(isPublic(draft.link));
  const published: Post = await site.posts().id(draft.id).update({ status: 'publish' });
  t.like(published, { id: draft.id, link: draft.link, status: 'publish' });
  await until('the post has its page', () => isPublic(draft.link));
  const changed: Post = await site
    .posts()
    .id(draft.id)
    .update({ title: 'Mulch', content: '<p>Other words.</p>' });
  t.is(changed.title.raw, 'Mulch');
  t.is(changed.link, draft.link);
  await until('the page shows the update', () =>
    fs.readFileSync(page(draft.link), 'utf8').includes('Other words.'),
  );
  t.regex(fs.readFileSync(file, 'utf8'), /^description: "Why\."$/m);

  t.is((await site.posts().id(draft.id).delete()).status, 'trash');
  await until('the post is nowhere', isGone(draft.link, 'Mulch'));
  const restored: Post = await site.posts().id(draft.id).update({ status: 'publish' });
  t.like(restored, { status: 'publish', link: draft.link, date: published.date });
  const previous = { id: draft.id, status: 'publish' };
  t.like(await site.posts().id(draft.id).delete({ force: true }), { deleted: true, previous });
  await until('the post is nowhere again', isGone(draft.link, 'Mulch'));
  const again = await ask(`/wp-json/wp/v2/posts/${draft.id}?force=true`, { method: 'DELETE' });
  t.like(again.json, { deleted: true, previous: { ...previous, status: 'trash' } });
  const error = await t.throwsAsync<Error & { code: string }>(
    WPAPI.site(`${receiver().origin}/wp-json`)
      .auth({ username: 'ada', password: 'other' })
      .posts()
      .create({ title: 'x' })
      .catch((body: object) => {
        throw Object.assign(new Error(), body);
      }),
  );
  t.like(error, { code: 'rest_signature_mismatch', data: { status: 401 } });
});

test('wordpress: a post that is to come goes live at its time, in the time zone of the site', async (t) => {
  const year = new Date().getUTCFullYear() + 1;
  const { status, json: post } = await sendJson(POSTS, {
    title: 'To come',
    content: '<p>Later.</p>',
    status: 'publish',
    date: `${year}-07-01T10:00:00`,
  });
  t.is(status, 201);
  t.like(post, { status: 'future', date: `${year}-07-01T10:00:00`, date_gmt: `${year}-07-01T08:00:00` });
  const moved = await sendJson(`${POSTS}/${post.id}`, { date_gmt: `${year}-12-01T09:30:00` });
  t.like(moved.json, { status: 'future', date: `${year}-12-01T10:30:00` });
  t.false(isPublic(post.link));
  const now = await sendJson(`${POSTS}/${post.id}`, {
    status: 'publish',
    date_gmt: '2026-01-02T03:04:05',
  });
  t.like(now.json, { status: 'publish', link: post.link, date: '2026-01-02T04:04:05' });
  await until('the post has its page', () => isPublic(post.link));
});

test('wordpress: wordpress-api-client makes terms and posts with them', async (t) => {
  const { default: WpApiClient, AUTH_TYPE } = require('wordpress-api-client');
  const client = new WpApiClient(receiver().origin, {
    auth: { type: AUTH_TYPE.BASIC, username: 'ada', password: PASSWORD },
    onError: async () => undefined,
  });
  t.is((await client.user().findMe()).name, 'ada');
  const category = await client.postCategory().create({ name: 'Garden beds' });
  const tag = await client.postTag().create({ name: 'Soil' });
  t.like(category, { name: 'Garden beds', slug: 'garden-beds' });
  t.is((await client.postTag().create({ name: 'soil' })).id, tag.id);
  const post: Post = await client.post().create({
    title: { raw: 'Beds' },
    content: { raw: '<p>Of soil.</p>' },
    status: 'publish',
    categories: [category.id],
    tags: [tag.id],
  });
  t.like(post, { categories: [category.id], tags: [tag.id] });
  t.regex(fs.readFileSync(fileOf(dir, `wp-${post.id}`), 'utf8'), /^tags: \["Garden beds", "Soil"\]$/m);
  const other: Post = await client.post().update({ title: { raw: 'Beds' }, tags: [] }, post.id);
  t.like(other, { categories: [category.id], tags: [] });
  t.is((await client.post().find(post.id))[0].id, post.id);
  await t.throwsAsync(client.post().find(7), { message: /nothing at this path/ });
  const [deleted] = await client.post().delete(post.id);
  t.is(deleted.status, 'trash');
});

test('wordpress: media come raw or as a form, are on the site, and are the image of a post', async (t) => {
  const WPAPI = require('wpapi');
  const { default: WpApiClient, AUTH_TYPE } = require('wordpress-api-client');
  const site = new WPAPI({ endpoint: `${receiver().origin}/wp-json`, username: 'ada', password: PASSWORD });
  const auth = { type: AUTH_TYPE.BASIC, username: 'ada', password: PASSWORD };
  const client = new WpApiClient(receiver().origin, { auth, onError: async () => undefined });
  const inForm = await site.media().file(gif(1), 'bed.gif').create({ title: 'A bed' });
  const raw = await client.media().create('soil.gif', gif(2), 'image/gif');
  t.like(inForm, { mime_type: 'image/gif' });
  t.not(raw.source_url, inForm.source_url);
  t.is((await client.media().create('again.gif', gif(2), 'image/gif')).id, raw.id);
  t.is((await site.media().id(raw.id)).source_url, raw.source_url);
  const post: Post = await site.posts().create({
    title: 'With media',
    content: `<p>Look:</p><img src="${inForm.source_url}" alt="">`,
    featured_media: raw.id,
    status: 'publish',
  });
  t.is(post.featured_media, raw.id);
  await until('the post has its page', () => isPublic(post.link));
  const html = fs.readFileSync(page(post.link), 'utf8');
  for (const [{ source_url: url }, bytes] of [
    [inForm, gif(1)],
    [raw, gif(2)],
  ] as const) {
    t.true(html.includes(new URL(url).pathname), url);
    await until('the file is on the site', () => fs.existsSync(join(dir, 'public', new URL(url).pathname)));
    t.deepEqual(fs.readFileSync(join(dir, 'public', new URL(url).pathname)), bytes);
  }
  const script = { method: 'POST', body: '<script>alert(1)</script>', 'content-type': 'image/png' };
  const refused = await ask('/wp-json/wp/v2/media', script);
  t.is(refused.status, 415);
  t.is(refused.json.code, 'rest_type_unsupported');
});

test('409-wordpress: what a person has edited, in the file or in the admin, keeps its text and its state', async (t) => {
  for (const [title, edit] of [
    ['Edited in its file', (file: string) => fs.appendFileSync(file, '\nMy own line.\n')],
    ['Edited in the admin', (_file: string, id: string) => sendJson('/edit', { id })],
  ] as const) {
    const { json: post } = await sendJson(POSTS, { title, content: 'x', status: 'publish' });
    const file = fileOf(dir, `wp-${post.id}`);
    await edit(file, `wp-${post.id}`);
    const before = fs.readFileSync(file, 'utf8');
    for (const change of [{ content: 'other' }, { status: 'draft', content: 'other' }, { status: 'trash' }]) {
      const { status, json } = await sendJson(`${POSTS}/${post.id}`, change);
      t.is(status, 409, JSON.stringify(change));
      t.like(json, { code: 'rest_revision_conflict', data: { status: 409 } });
    }
    t.is(fs.readFileSync(file, 'utf8'), before);
  }
});

test('404-wordpress: a post whose file was deleted is not written again by a change', async (t) => {
  const fields = { title: 'Deleted by its owner', content: 'x', status: 'publish' };
  const { json: post } = await sendJson(POSTS, fields);
  const file = fileOf(dir, `wp-${post.id}`);
  fs.rmSync(file);
  await until('the receiver has seen it', async () => (await ask(`${POSTS}/${post.id}`)).status === 404);
  t.is((await sendJson(`${POSTS}/${post.id}`, { content: 'other' })).status, 404);
  t.false(fs.existsSync(file));
});

test('401-wordpress: without a password of the list there is only the index', async (t) => {
  for (const authorization of [
    '',
    'Basic !',
    basic('ada', ''),
    basic('ada', 'abcd'),
    `Bearer ${PASSWORD}`,
    basic('robot', PASSWORD),
  ]) {
    for (const [path, method] of [
      ['/wp-json/wp/v2/posts', 'POST'],
      ['/wp-json/wp/v2/users/me', 'GET'],
    ] as const) {
      const answer = await ask(path, { authorization, method });
      t.is(answer.status, 401, `${authorization} ${path}`);
      t.regex(answer.headers.get('www-authenticate') ?? '', /^Basic /);
    }
    t.is((await ask('/wp-json', { authorization })).status, 200);
    t.is((await ask('/wp-json', { authorization, method: 'POST', body: 'x' })).status, 405);
  }
  t.is(
    (await ask('/wp-json/wp/v2/users/me', { authorization: basic('ada', 'abcdEFGH1234ijkl') })).status,
    200,
  );
  const head = await ask('/wp-json/', { method: 'HEAD' });
  t.regex(head.headers.get('link') ?? '', /^<http:.*\/wp-json\/>; rel="https:\/\/api\.w\.org\/"$/);
});

test('4xx-wordpress: hostile requests are refused in the form of WordPress, and none is stored', async (t) => {
  for (const [body, expected] of [
    [{ title: { raw: { deep: 1 } }, content: 'x' }, 400],
    [{ title: 'x', content: 'x', status: 'live' }, 400],
    [{ title: 'x', content: 'x', date: 'soon' }, 400],
    [{ title: '\ud800', content: 'x' }, 400],
    [{ title: 'x', content: 'x'.repeat(1_100_000) }, 413],
  ] as const) {
    const { status, json } = await sendJson(POSTS, body);
    t.is(status, expected, JSON.stringify(body).slice(0, 80));
    t.like(json, { data: { status: expected } });
    t.regex(json.code, /^rest_/);
  }
  for (const [body, type] of [
    ['{', 'application/json'],
    ['--x\r\nnonsense', 'multipart/form-data; boundary=x'],
  ] as const)
    t.is((await ask(POSTS, { method: 'POST', body, 'content-type': type })).status, 400, type);
  for (const path of [`${POSTS}/9`, `${POSTS}/..%2f..`, `${POSTS}/__proto__`, '/wp-json/wp/v2/users/0'])
    t.is((await ask(path)).status, 404, path);
  t.is((await sendJson('/wp-json/wp/v2/tags', { name: ' ' })).status, 400);
  t.is(withTitle('x'), 0);
});
