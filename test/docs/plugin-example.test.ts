import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { adminOf } from '../support/admin.js';
import { articleFiles, fileOf, readStored } from '../support/content.js';
import { article, update } from '../support/events.js';
import { type ReceiverHere, startHere } from '../support/receiver-here.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** An example as the page has it, whose first line gives its file name. */
function exampleOnPage(name: string): string {
  const page = fs.readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8');
  const examples = [...page.matchAll(/```js\n(\/\/ (plugins\/\S+)\n[\s\S]*?)```/g)];
  const code = examples.find(([, , file]) => file === name)?.[1];
  if (code === undefined) throw new Error(`docs/plugins.md has no example ${name}`);
  return code;
}

/** A receiver with an example of the page. */
function receiverWith(
  t: ExecutionContext,
  dir: string,
  name: string,
  env: Record<string, string> = {},
): Promise<ReceiverHere> {
  fs.mkdirSync(dirname(join(dir, name)), { recursive: true });
  fs.writeFileSync(join(dir, name), exampleOnPage(name));
  // As after `npm install`: the package by its name.
  fs.mkdirSync(join(dir, 'node_modules'));
  fs.symlinkSync(ROOT, join(dir, 'node_modules/pressmark'));
  return startHere(t, { dir, env });
}

test('the output of docs/plugins.md has at most 15 lines, and follows the articles', async (t) => {
  const dir = tempDir(t);
  const name = 'plugins/llms.mjs';
  const lines = exampleOnPage(name).trimEnd().split('\n');
  t.true(lines.filter((line) => !line.startsWith('//') && line !== '').length <= 15);
  const receiver = await receiverWith(t, dir, name);
  const llms = join(dir, 'public/llms.txt');
  for (const title of ['First', 'Second']) {
    const { json } = await receiver.post(
      'article.published',
      article({ title, slug: title.toLowerCase(), meta_description: `About ${title}` }),
    );
    const line = `- [${title}](${json.url}): About ${title}`;
    await until(
      'the file of the plugin has the article',
      () => fs.existsSync(llms) && fs.readFileSync(llms, 'utf8').includes(line),
    );
  }
  t.is(fs.readFileSync(llms, 'utf8').match(/^- /gm)?.length, 2);
  const taken = await receiver.post('article.published', article({ slug: 'llms.txt' }));
  t.notRegex(taken.json.url, /llms\.txt/);
});

test('the example of docs/plugins.md does what the page says', async (t) => {
  const dir = tempDir(t);
  const receiver = await receiverWith(t, dir, 'plugins/reading-time.mjs');
  const words = Array.from({ length: 660 }, () => 'word').join(' ');
  const { status } = await receiver.post(
    'article.published',
    article({ title: 'Long', slug: 'long', content_html: `<p>${words}</p>` }),
  );
  t.is(status, 200);
  const [file = ''] = articleFiles(dir);
  t.regex(fs.readFileSync(file, 'utf8'), /^reading_minutes: 3$/m);
  const times = await (await fetch(`${receiver.origin}/-/reading-time/recent`)).json();
  t.deepEqual(times, [{ title: 'Long', minutes: 3 }]);
  const page = join(dir, 'public/articles/long/index.html');
  await until(
    'the page of the article has the link of the plugin',
    () =>
      fs.existsSync(page) &&
      fs.readFileSync(page, 'utf8').includes('<link rel="me" href="https://social.example/@me">'),
  );
});

test('the adapter of docs/plugins.md stores what is sent with its token', async (t) => {
  const dir = tempDir(t);
  const receiver = await receiverWith(t, dir, 'plugins/inbox.mjs', { INBOX_TOKEN: 'a token' });
  const body = JSON.stringify({ key: 'k-1', name: 'By another door', html: '<p>In.</p>' });
  const send = (token: string) =>
    fetch(`${receiver.origin}/inbox`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
  t.is((await send('another')).status, 401);
  const answer = await send('a token');
  t.is(answer.status, 200);
  t.like(await answer.json(), { id: 'k-1', outcome: 'stored' });
  t.regex(fs.readFileSync(articleFiles(dir)[0] ?? '', 'utf8'), /^title: "By another door"$/m);
});

test('the job of docs/plugins.md tells a chat of each article, again where the chat has failed', async (t) => {
  const told: string[] = [];
  const chat = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    told.push(JSON.parse(body).text);
    response.writeHead(told.length === 1 ? 500 : 200).end();
  }).listen(0, '127.0.0.1');
  t.teardown(() => chat.close());
  await once(chat, 'listening');
  const { port } = chat.address() as AddressInfo;
  const env = { CHAT_URL: `http://127.0.0.1:${port}/` };
  const receiver = await receiverWith(t, tempDir(t), 'plugins/tell.mjs', env);
  const { json } = await receiver.post('article.published', article({ title: 'Told' }));
  await until('the chat was told again', () => told.length === 2);
  t.deepEqual([...new Set(told)], [`New: Told ${json.url}`]);
});

test('in 20 lines, the plugin of docs/plugins.md adds a page, a widget and an action to the admin', async (t) => {
  const name = 'plugins/desk.mjs';
  const lines = exampleOnPage(name).trimEnd().split('\n');
  t.true(lines.filter((line) => !line.startsWith('//') && line !== '').length <= 20);
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'content/articles'), { recursive: true });
  const receiver = await receiverWith(t, dir, name);
  const editor = await adminOf(receiver, { role: 'editor' });
  const admin = await adminOf(receiver, { name: 'grace' });
  const title = 'A <b>bold</b> title';
  const { json } = await receiver.post('article.published', article({ title }));
  const [file = ''] = articleFiles(dir);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^title:/m, 'held: wait\ntitle:'));
  await until('the page lists the held article', async () =>
    (await admin.get('added/desk/held')).text.includes('<li>A &lt;b&gt;bold&lt;/b&gt; title</li>'),
  );
  t.true((await editor.get('')).text.includes('<p>1</p>'));
  t.is((await editor.get('added/desk/held')).status, 403);
  const pressed = await editor.post('press', {
    do: 'press',
    plugin: 'desk',
    action: 'release',
    article: json.id,
  });
  t.is(pressed.status, 303);
  t.notRegex(fs.readFileSync(file, 'utf8'), /^held:/m);
});

test('the filter of docs/plugins.md refuses a short article and holds one with a tag', async (t) => {
  const dir = tempDir(t);
  const { post, find } = await receiverWith(t, dir, 'plugins/editor.mjs');
  const short = await post('article.published', article({ content_html: '<p>Hi.</p>' }));
  t.is(short.status, 422);
  t.is(short.json.error, 'plugin editor: the article is too short');
  t.is((await post('article.published', article({ tags: ['draft'] }))).status, 200);
  t.regex(fs.readFileSync(articleFiles(dir)[0] ?? '', 'utf8'), /^held: "it has the tag draft"$/m);
  const live = await post('article.published', article({ id: 'live-1', slug: 'live-1' }));
  const { id, revision_id: base } = await find(live.json.url);
  const to = { target_id: id, target_url: live.json.url, base_revision_id: base };
  t.is((await post('article.updated', update(to, { tags: ['draft'] }))).status, 200);
  const stored = readStored(fileOf(dir, 'live-1')).article;
  t.deepEqual(stored.tags, ['draft']);
  t.is(stored.held, undefined, 'a live article stays live');

  const page = fs.readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8');
  const fields = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  for (const field of Object.keys(stored)) t.true(fields.includes(field), `${field} is in a table`);
});
