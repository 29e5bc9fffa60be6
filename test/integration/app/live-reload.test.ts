import fs from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ask } from '../../support/ask.js';
import { article } from '../../support/events.js';
import { type Receiver, type ReceiverOptions, startReceiver } from '../../support/receiver.js';
import { sendThenRead } from '../../support/sockets.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const PAGE = 'public/articles/hive/index.html';
const SCRIPT = /<script type="module" src="(\/\.pressmark\/live\.js\?([\w-]+))"><\/script>\s*<\/body>/;

/** A receiver with one article on its site. */
async function withArticle(t: ExecutionContext, options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await startReceiver(t, { dir: tempDir(t), ...options });
  await receiver.post('article.published', article({ slug: 'hive' }));
  await until(() => fs.existsSync(join(receiver.dir, 'public/404.html')));
  await until(async () => (await ask(receiver.origin, '/articles/hive/')).status === 200);
  await until(() => fs.existsSync(join(receiver.dir, 'public/feed.xml')));
  return receiver;
}

/** What comes over the connection that the script opens. */
function listen(receiver: Receiver): { readonly versions: string[]; readonly ended: () => boolean } {
  const versions: string[] = [];
  let hasEnded = false;
  const request = http.get(`${receiver.origin}/.pressmark/live`, { agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      for (const [, version = ''] of text.matchAll(/^data: (.+)$/gm)) versions.push(version);
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      hasEnded = true;
    });
  });
  request.on('error', () => undefined);
  return { versions, ended: () => hasEnded };
}

test('a page in a browser on this machine has the script, its file has not', async (t) => {
  const receiver = await withArticle(t);
  const { text, headers } = await ask(receiver.origin, '/articles/hive/');
  const [tag, script = ''] = SCRIPT.exec(text) ?? [];
  t.truthy(tag);
  t.is(headers['content-length'], String(Buffer.byteLength(text)));
  const code = await ask(receiver.origin, script);
  t.deepEqual([code.status, code.headers['content-type']], [200, 'text/javascript; charset=utf-8']);
  t.regex((await ask(receiver.origin, '/nowhere/')).text, SCRIPT);
  // The end of a build that is still under way is told to browsers by another ETag.
  await until(async () => {
    const { headers } = await ask(receiver.origin, '/articles/hive/');
    const again = { headers: { 'If-None-Match': String(headers.etag) } };
    return (await ask(receiver.origin, '/articles/hive/', again)).status === 304;
  });

  const built = fs.readdirSync(join(receiver.dir, 'public'), { recursive: true, encoding: 'utf8' });
  for (const name of built.filter((one) => one.endsWith('.html')))
    t.false(fs.readFileSync(join(receiver.dir, 'public', name), 'utf8').includes('.pressmark'), name);
  const feed = await ask(receiver.origin, '/feed.xml');
  t.is(feed.text, fs.readFileSync(join(receiver.dir, 'public/feed.xml'), 'utf8'));
});

test('a page that passes through a proxy, or is asked for by another name, is the file itself', async (t) => {
  const receiver = await withArticle(t);
  const file = fs.readFileSync(join(receiver.dir, PAGE), 'utf8');
  for (const headers of [
    { 'X-Forwarded-For': '203.0.113.7' },
    { 'X-Forwarded-Proto': 'https' },
    { Forwarded: 'for=203.0.113.7' },
    { 'X-Real-IP': '203.0.113.7' },
    { Via: '1.1 proxy' },
    { Host: 'garden.example' },
    { Host: 'localhost.garden.example' },
    { Host: '192.168.1.7:8787' },
  ]) {
    t.is((await ask(receiver.origin, '/articles/hive/', { headers })).text, file, JSON.stringify(headers));
    t.is((await ask(receiver.origin, '/.pressmark/live', { headers })).status, 404);
    t.is((await ask(receiver.origin, '/.pressmark/live.js', { headers })).status, 404);
  }
  // nginx without further settings: HTTP/1.0, and the host that it was told to ask.
  const host = `127.0.0.1:${receiver.port}`;
  const { body } = await sendThenRead(
    receiver.port,
    `GET /articles/hive/ HTTP/1.0\r\nHost: ${host}\r\n\r\n`,
    [],
  );
  t.is(body, file);
  for (const name of ['localhost', 'garden.localhost:8787', '[::1]:8787'])
    t.regex((await ask(receiver.origin, '/articles/hive/', { headers: { Host: name } })).text, SCRIPT, name);
});

test('--no-live: nothing of it', async (t) => {
  const receiver = await withArticle(t, { args: ['--no-live'] });
  const file = fs.readFileSync(join(receiver.dir, PAGE), 'utf8');
  t.is((await ask(receiver.origin, '/articles/hive/')).text, file);
  t.is((await ask(receiver.origin, '/.pressmark/live')).status, 404);
});

test('a changed template is built and told of; a broken one keeps the last good page until it is mended', async (t) => {
  const receiver = await withArticle(t);
  const page = () => fs.readFileSync(join(receiver.dir, PAGE), 'utf8');
  const { versions, ended } = listen(receiver);
  await until(() => versions.length > 0);

  // The folder is not there yet when the watching begins.
  const template = join(receiver.dir, 'templates/article.eta');
  fs.mkdirSync(join(receiver.dir, 'templates'));
  fs.writeFileSync(template, '<% layout("./layout") %><h1>Mine: <%= it.title %></h1>');
  await until(() => page().includes('<h1>Mine: '));
  await until(() => versions.length > 1);
  t.not(versions.at(-1), versions[0]);
  await until(async () => SCRIPT.exec((await ask(receiver.origin, '/')).text)?.[2] === versions.at(-1));

  const good = page();
  fs.writeFileSync(template, '<% layout("./layout") %>\n<h1><%= it.nothing.there %></h1>');
  await until(() =>
    receiver.log.some(({ level, reason }) => level === 50 && String(reason).includes('article.eta:2')),
  );
  t.is(page(), good);
  t.is((await receiver.post('article.published', article({ id: 'b', slug: 'bee' }))).status, 200);

  fs.mkdirSync(join(receiver.dir, 'templates/partials'));
  fs.writeFileSync(join(receiver.dir, 'templates/partials/date.eta'), 'some day');
  fs.writeFileSync(template, '<% layout("./layout") %><h1>Mended</h1><%~ include("./partials/date", {}) %>');
  await until(() => page().includes('<h1>Mended</h1>some day'));

  fs.rmSync(join(receiver.dir, 'templates'), { recursive: true });
  await until(() => !page().includes('Mended'));

  // A browser that listens keeps nobody from stopping.
  const begin = performance.now();
  t.is(await receiver.stop(), 0);
  t.true(performance.now() - begin < 8_000);
  await until(ended);
});
