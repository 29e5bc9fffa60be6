import fs from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { ask } from '../support/ask.js';
import { createClient } from '../support/client.js';
import { article } from '../support/events.js';
import { freePort } from '../support/free-port.js';
import { type Receiver, run, sharedReceiver } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { blocksOf, nginxConfig, serve } from './web-servers.js';

const fromTheDocs = blocksOf('hosting.md');
const ofServer = blocksOf('server.md');

/** The receiver with a site that all web servers of this file stand in front of. */
const shared = sharedReceiver(test);

test.serial.before('the site and its search index are built', async () => {
  const receiver = shared();
  const { dir } = receiver;
  await receiver.post('article.published', article({ slug: 'hive', content_html: longText('the hive') }));
  // Which each web server delivers again: a new article would change the pages that are compared.
  await receiver.post('article.published', article({ id: 'b', slug: 'bee' }));
  for (const file of ['articles/hive/index.html', '404.html', 'pagefind/pagefind-entry.json'])
    await until(`${file} is built`, () => fs.existsSync(join(dir, 'public', file)));
  // The files of an index go when the next one comes.
  await until('the search index holds both', () =>
    fs.readFileSync(join(dir, 'public/pagefind/pagefind-entry.json'), 'utf8').includes('"page_count":2'),
  );
  const hive = join(dir, 'public/articles/hive/index.html');
  await until('each of the two leads to the other', () =>
    fs.readFileSync(hive, 'utf8').includes('/articles/bee/'),
  );
  fs.writeFileSync(join(dir, 'public/about.html'), '<p>About us</p>');
  fs.writeFileSync(join(dir, 'public/.hidden'), 'hidden');
  fs.mkdirSync(join(dir, 'public/.well-known'));
  fs.writeFileSync(join(dir, 'public/.well-known/security.txt'), 'for everybody');
});

function longText(words: string): string {
  return `<p>${`${words} `.repeat(400)}</p>`;
}

/** What the docs promise of a web server, in front of this receiver. */
async function check(
  t: ExecutionContext,
  origin: string,
  receiver: Receiver,
  { compresses }: { compresses: boolean },
): Promise<void> {
  const output = join(receiver.dir, 'public');
  const get = (path: string, headers: Record<string, string> = {}) => ask(origin, path, { headers });
  const file = (name: string) => fs.readFileSync(join(output, name), 'utf8');

  const page = await get('/articles/hive/');
  t.deepEqual([page.status, page.text], [200, file('articles/hive/index.html')]);
  t.is(page.headers['content-type'], 'text/html; charset=utf-8');
  t.is(page.headers['cache-control'], 'no-cache');
  t.is(page.headers['x-content-type-options'], 'nosniff');
  t.regex(String(page.headers['content-security-policy']), /^script-src 'self' .*frame-ancestors 'self'$/);
  const known = await get('/articles/hive/', { 'If-None-Match': String(page.headers.etag) });
  t.is(known.status, 304);

  const gzip = await get('/articles/hive/', { 'Accept-Encoding': 'gzip' });
  t.is(gzip.headers['content-encoding'], compresses ? 'gzip' : undefined);
  if (compresses) t.is(gzip.headers.vary, 'Accept-Encoding');
  t.is((compresses ? gunzipSync(gzip.bytes) : gzip.bytes).toString(), page.text);

  const [sheet] = fs.readdirSync(join(output, 'assets')).filter((name) => name.endsWith('.css'));
  const [part] = fs.readdirSync(join(output, 'pagefind/fragment'));
  for (const path of [`/assets/${sheet}`, `/pagefind/fragment/${part}`])
    t.is((await get(path)).headers['cache-control'], 'public, max-age=31536000, immutable', path);
  t.is((await get('/pagefind/pagefind-entry.json')).headers['cache-control'], 'no-cache');
  t.regex(String((await get(`/assets/${sheet}`)).headers['content-type']), /^text\/css; charset=utf-8$/);

  for (const path of ['/nowhere/', '/assets/', '/.hidden', '/%2ehidden', '/404.html/x']) {
    const missing = await get(path, { 'Accept-Encoding': 'identity' });
    t.is(missing.status, 404, path);
    t.is(missing.text, file('404.html'), path);
  }
  const folder = await get('/articles/hive');
  t.true([301, 302, 307, 308].includes(folder.status));
  t.is(folder.headers.location, '/articles/hive/');
  t.is((await get('/about')).text, '<p>About us</p>');
  t.is((await get('/.well-known/security.txt')).text, 'for everybody');

  const webhook = createClient(`${origin}/webhook`);
  t.is((await webhook.post('webhook.test', { id: 't', message: 'hello', capabilities: [] })).status, 200);
  t.is((await webhook.post('article.published', article({ id: 'b', slug: 'bee' }))).status, 200);
  t.is((await webhook.post('article.published', article(), { secret: 'wrong' })).status, 401);
  await until('the article is served', async () => (await get('/articles/bee/')).status === 200);
}

test('nginx with the configuration of the docs', async (t) => {
  const receiver = shared();
  const port = await freePort();
  const server = ofServer('# /etc/nginx/')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('/srv/www/site/current', join(receiver.dir, 'public'))
    .replace('127.0.0.1:8787', `127.0.0.1:${receiver.port}`);
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'nginx.conf'), nginxConfig(dir, server));
  await serve(t, 'nginx', ['-c', join(dir, 'nginx.conf'), '-p', dir], `http://127.0.0.1:${port}`);
  await check(t, `http://127.0.0.1:${port}`, receiver, { compresses: true });
});

test('Caddy with the configuration of the docs', async (t) => {
  const receiver = shared();
  const port = await freePort();
  const site = ofServer('# /etc/caddy/')
    .replace('example.com {', `http://127.0.0.1:${port} {`)
    .replace('/srv/www/site/current', join(receiver.dir, 'public'))
    .replace('127.0.0.1:8787', `127.0.0.1:${receiver.port}`);
  const file = join(tempDir(t), 'Caddyfile');
  fs.writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
  await serve(t, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], `http://127.0.0.1:${port}`);
  await check(t, `http://127.0.0.1:${port}`, receiver, { compresses: true });
});

test('everything through Pressmark: pages come as they are in the files, however little the proxy says', async (t) => {
  const receiver = shared();
  const upstream = `127.0.0.1:${receiver.port}`;
  const [, lines = ''] = /location = \/webhook \{([^}]+)\}/.exec(ofServer('# /etc/nginx/')) ?? [];
  const documented = `location / {${lines.replace('127.0.0.1:8787', upstream)}}`;
  const [one, other] = [await freePort(), await freePort()];
  const dir = tempDir(t);
  const servers = `server { listen 127.0.0.1:${one}; ${documented} }
    server { listen 127.0.0.1:${other}; location / { proxy_http_version 1.1; proxy_pass http://${upstream}; } }`;
  fs.writeFileSync(join(dir, 'nginx.conf'), nginxConfig(dir, servers));
  await serve(t, 'nginx', ['-c', join(dir, 'nginx.conf'), '-p', dir], `http://127.0.0.1:${one}`);
  await check(t, `http://127.0.0.1:${one}`, receiver, { compresses: false });
  const { text } = await ask(`http://127.0.0.1:${other}`, '/articles/hive/');
  t.true(text.includes('</html>') && !text.includes('.pressmark'));
  for (const path of ['/.pressmark/live', '/.pressmark/live.js'])
    t.is((await ask(`http://127.0.0.1:${other}`, path)).status, 404);
  t.is((await ask(`http://127.0.0.1:${other}`, '/healthz?verbose')).text, '{"ok":true}');
});

test('the settings of the other hosts build the site, with its headers; their commands are in installation.test.ts', async (t) => {
  const dir = tempDir(t);
  const config = fromTheDocs('// pressmark.config.mjs');
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), config);
  const { code } = await run(['build', '--dir', dir]);
  t.is(code, 0);
  t.true(fs.existsSync(join(dir, 'public/_headers')));
});

test('the CloudFront function finds the index of a folder', (t) => {
  const context = vm.createContext({});
  vm.runInContext(fromTheDocs('// cloudfront-function.js'), context);
  const handle = (uri: string): { uri?: string; headers?: { location: { value: string } } } =>
    vm.runInContext(`handler({ request: { uri: ${JSON.stringify(uri)} } })`, context);
  t.is(handle('/').uri, '/index.html');
  t.is(handle('/articles/hive/').uri, '/articles/hive/index.html');
  t.is(handle('/assets/style.0123abcd.css').uri, '/assets/style.0123abcd.css');
  t.is(handle('/articles/hive').headers?.location.value, '/articles/hive/');
});
