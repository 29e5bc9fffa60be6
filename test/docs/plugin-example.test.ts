import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { adminOf } from '../support/admin.js';
import { fileOf, readStored } from '../support/content.js';
import { article, update } from '../support/events.js';
import { launchHere, type ReceiverHere } from '../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { withPackages } from '../support/with-plugins.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = fs.readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8');

/** The examples of the page by the file names in their first lines. */
const EXAMPLES = new Map(
  [...PAGE.matchAll(/```js\n(\/\/ (plugins\/\S+)\n[\s\S]*?)```/g)].map(([, code = '', name = '']) => [
    name,
    code,
  ]),
);
const NAMES = ['llms', 'reading-time', 'inbox', 'tell', 'desk', 'editor'].map(
  (name) => `plugins/${name}.mjs`,
);

/** How many lines of an example do something. */
const linesOf = (name: string) =>
  EXAMPLES.get(`plugins/${name}.mjs`)
    ?.split('\n')
    .filter((line) => !line.startsWith('//') && line !== '').length ?? 0;

// All examples in one receiver. The tests are serial, as the last ones hold articles, which others would list.
const dir = makeTempDir();
const told: string[] = [];
let receiver: ReceiverHere;

/** Answers 500 to what it is told first. */
const chat = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { text } = JSON.parse(body);
  response.writeHead(told.includes(text) ? 200 : 500).end();
  told.push(text);
});

test.serial.before(async () => {
  fs.mkdirSync(join(dir, 'plugins'));
  for (const name of NAMES) fs.writeFileSync(join(dir, name), EXAMPLES.get(name) ?? '');
  withPackages(dir);
  await once(chat.listen(0, '127.0.0.1'), 'listening');
  const { port } = chat.address() as AddressInfo;
  receiver = await launchHere(dir, {
    config: { git: false, site: { search: false } },
    env: { INBOX_TOKEN: 'a-long-token', CHAT_URL: `http://127.0.0.1:${port}/` },
  });
});
test.after.always(async () => {
  await receiver.close();
  chat.close();
  removeTempDir(dir);
});

test.serial('the output of docs/plugins.md has at most 15 lines, and follows the articles', async (t) => {
  t.true(linesOf('llms') <= 15);
  const llms = join(dir, 'public/llms.txt');
  for (const title of ['First', 'Second']) {
    const data = article({ title, slug: title.toLowerCase(), meta_description: `About ${title}` });
    const { json } = await receiver.post('article.published', data);
    const line = `- [${title}](${json.url}): About ${title}`;
    await until(
      'the file of the plugin has the article',
      () => fs.existsSync(llms) && fs.readFileSync(llms, 'utf8').includes(line),
    );
  }
});

test.serial('the example of docs/plugins.md does what the page says', async (t) => {
  const words = Array.from({ length: 660 }, () => 'word').join(' ');
  const data = article({ title: 'Long', slug: 'long', content_html: `<p>${words}</p>` });
  t.is((await receiver.post('article.published', data)).status, 200);
  t.regex(fs.readFileSync(fileOf(dir, data.id), 'utf8'), /^reading_minutes: 3$/m);
  const times = (await (await fetch(`${receiver.origin}/-/reading-time/recent`)).json()) as {
    title: string;
  }[];
  t.deepEqual(
    times.filter(({ title }) => title === 'Long'),
    [{ title: 'Long', minutes: 3 } as never],
  );
  const page = join(dir, 'public/articles/long/index.html');
  await until(
    'the page of the article has the link of the plugin',
    () =>
      fs.existsSync(page) &&
      fs.readFileSync(page, 'utf8').includes('<link rel="me" href="https://social.example/@me">'),
  );
});

test.serial('the adapter of docs/plugins.md stores what is sent with its token', async (t) => {
  const body = JSON.stringify({ key: 'k-1', name: 'By another door', html: '<p>In by another door.</p>' });
  const send = (token: string) =>
    fetch(`${receiver.origin}/inbox`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
  t.is((await send('another')).status, 401);
  const answer = await send('a-long-token');
  t.is(answer.status, 200);
  t.like(await answer.json(), { id: 'k-1', outcome: 'stored' });
  t.regex(fs.readFileSync(fileOf(dir, 'k-1'), 'utf8'), /^title: "By another door"$/m);
});

test.serial(
  'the job of docs/plugins.md tells a chat of each article, again where the chat has failed',
  async (t) => {
    const { json } = await receiver.post('article.published', article({ title: 'Told' }));
    const times = () => told.filter((text) => text === `New: Told ${json.url}`).length;
    await until('the chat was told again', () => times() === 2);
    t.pass();
  },
);

test.serial(
  'in 20 lines, the plugin of docs/plugins.md adds a page, a widget and an action to the admin',
  async (t) => {
    t.true(linesOf('desk') <= 20);
    const editor = await adminOf(receiver, { role: 'editor' });
    const admin = await adminOf(receiver, { name: 'grace' });
    const data = article({ title: 'A <b>bold</b> title' });
    const { json } = await receiver.post('article.published', data);
    const file = fileOf(dir, data.id);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^title:/m, 'held: wait\ntitle:'));
    await until('the page lists the held article', async () =>
      (await admin.get('added/desk/held')).text.includes('<li>A &lt;b&gt;bold&lt;/b&gt; title</li>'),
    );
    t.true((await editor.get('')).text.includes('<p>1</p>'));
    t.is((await editor.get('added/desk/held')).status, 403);
    const press = { do: 'press', plugin: 'desk', action: 'release', article: json.id };
    t.is((await editor.post('press', press)).status, 303);
    t.notRegex(fs.readFileSync(file, 'utf8'), /^held:/m);
  },
);

test.serial('the filter of docs/plugins.md refuses a short article and holds one with a tag', async (t) => {
  const { post, find } = receiver;
  const short = await post('article.published', article({ content_html: '<p>Hi.</p>' }));
  t.is(short.status, 422);
  t.is(short.json.error, 'plugin editor: the article is too short');
  const held = article({ tags: ['draft'] });
  t.is((await post('article.published', held)).status, 200);
  t.regex(fs.readFileSync(fileOf(dir, held.id), 'utf8'), /^held: "it has the tag draft"$/m);
  const live = await post('article.published', article({ id: 'live-1', slug: 'live-1' }));
  const { id, revision_id: base } = await find(live.json.url);
  const to = { target_id: id, target_url: live.json.url, base_revision_id: base };
  t.is((await post('article.updated', update(to, { tags: ['draft'] }))).status, 200);
  const stored = readStored(fileOf(dir, 'live-1')).article;
  t.deepEqual(stored.tags, ['draft']);
  t.is(stored.held, undefined, 'a live article stays live');

  const fields = [...PAGE.matchAll(/^- ((?:`\w+`(?:, )?)+):/gm)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  for (const field of Object.keys(stored)) t.true(fields.includes(field), `${field} is in a list`);
});
