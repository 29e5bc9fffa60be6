import fs from 'node:fs';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { STATUS_TOKEN } from '../../../support/receiver.js';
import { sharedPreview } from './preview-server.js';

const server = sharedPreview(test);
const { put } = server;

const get = (path: string, headers: Record<string, string> = {}) => ask(server.origin, path, { headers });

test('200: text is served with its charset, and every file with its type', async (t) => {
  const types = {
    'page.html': 'text/html; charset=utf-8',
    'style.css': 'text/css; charset=utf-8',
    'script.js': 'text/javascript; charset=utf-8',
    'data.json': 'application/json; charset=utf-8',
    'notes.txt': 'text/plain; charset=utf-8',
    'feed.xml': 'application/xml',
    'mark.svg': 'image/svg+xml',
    'photo.jpg': 'image/jpeg',
    'photo.avif': 'image/avif',
    'type.woff2': 'font/woff2',
    'app.webmanifest': 'application/manifest+json; charset=utf-8',
    'module.wasm': 'application/wasm',
    'x.pf_fragment': 'application/octet-stream',
    CNAME: 'application/octet-stream',
  };
  for (const [name, type] of Object.entries(types)) {
    put(`types/${name}`, 'x');
    const { status, headers } = await get(`/types/${name}`);
    t.deepEqual([status, headers['content-type']], [200, type], name);
    t.is(headers['x-content-type-options'], 'nosniff');
  }
});

test('200: a folder is served as its index, and its path without the slash redirects there with the query', async (t) => {
  put('folder/index.html', 'the index');
  put('plain.html', 'the page');
  t.is((await get('/folder/')).text, 'the index');
  t.is((await get('/folder/index.html')).text, 'the index');
  t.is((await get('/plain')).text, 'the page');
  const { status, headers } = await get('/folder?q=1');
  t.deepEqual([status, headers.location], [301, '/folder/?q=1']);
});

test('304: a client that has these bytes does not get them again', async (t) => {
  const path = put('etag.html', 'one');
  const first = await get('/etag.html');
  t.regex(String(first.headers.etag), /^"[\w-]{27}"$/);
  const again = await get('/etag.html', { 'If-None-Match': `"other", W/${first.headers.etag}` });
  t.deepEqual([again.status, again.bytes.length], [304, 0]);
  t.is(again.headers.etag, first.headers.etag);
  t.is(again.headers['cache-control'], first.headers['cache-control']);
  t.is((await get('/etag.html', { 'If-None-Match': '*' })).status, 304);
  t.is(
    (await get('/etag.html', { 'If-Modified-Since': String(first.headers['last-modified']) })).status,
    304,
  );

  // The same size at the same time: only the time of the status change shows it.
  const { atime, mtime } = fs.statSync(path);
  fs.writeFileSync(path, 'two');
  fs.utimesSync(path, atime, mtime);
  const changed = await get('/etag.html', { 'If-None-Match': String(first.headers.etag) });
  t.deepEqual([changed.status, changed.text], [200, 'two']);
});

test('200: a client may keep hashed files for ever and must ask about all others', async (t) => {
  const kept = ['assets/style.0123abcd.css', 'pagefind/fragment/en_022f731.pf_fragment'];
  const asked = ['assets/logo.svg', 'index.html', 'pagefind/pagefind-entry.json', 'style.0123abcd.css'];
  for (const file of [...kept, ...asked]) {
    put(file, 'x');
    const { headers } = await get(`/${file}`);
    const expected = kept.includes(file) ? 'public, max-age=31536000, immutable' : 'no-cache';
    t.is(headers['cache-control'], expected, file);
  }
});

for (const [size, what] of [
  [1_000, 'a small file'],
  [1_500_000, 'a large file'],
] as const) {
  test(`206: a client gets the part of ${what} that it asks for`, async (t) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const name = `parts-${size}.bin`;
    put(name, bytes);
    const last = size - 1;
    for (const [range, start, end] of [
      ['bytes=0-9', 0, 9],
      ['bytes=100-100', 100, 100],
      ['bytes=990-', 990, last],
      ['bytes=-5', size - 5, last],
      [`bytes=10-${size * 2}`, 10, last],
    ] as const) {
      const part = await get(`/${name}`, { Range: range });
      t.is(part.status, 206, range);
      t.is(part.headers['content-range'], `bytes ${start}-${end}/${size}`);
      t.is(part.headers['content-length'], String(end - start + 1));
      t.true(part.bytes.equals(bytes.subarray(start, end + 1)), range);
    }
    const beyond = await get(`/${name}`, { Range: `bytes=${size}-` });
    t.deepEqual(
      [beyond.status, beyond.headers['content-range'], beyond.bytes.length],
      [416, `bytes */${size}`, 0],
    );
    for (const range of ['bytes=0-1,5-6', 'lines=0-9', 'bytes=9-0x', 'nonsense']) {
      const whole = await get(`/${name}`, { Range: range });
      t.deepEqual([whole.status, whole.bytes.length], [200, size], range);
    }
  });
}

test('206: a client gets the rest of a file only while it is the same file', async (t) => {
  put('rest.txt', '0123456789');
  const { headers } = await get('/rest.txt');
  const rest = (condition: unknown) => get('/rest.txt', { Range: 'bytes=5-', 'If-Range': String(condition) });
  t.is((await rest(headers.etag)).text, '56789');
  t.is((await rest(headers['last-modified'])).text, '56789');
  t.is((await rest('"another"')).text, '0123456789');
  t.is((await rest('Thu, 01 Jan 1970 00:00:00 GMT')).text, '0123456789');
});

test('200: an empty file is served whole, and 416 answers a request for a part of it', async (t) => {
  put('empty.txt', '');
  t.deepEqual([(await get('/empty.txt')).status, (await get('/empty.txt')).bytes.length], [200, 0]);
  t.is((await get('/empty.txt', { Range: 'bytes=0-' })).status, 416);
});

test('200: HEAD is answered with the headers of GET and no body', async (t) => {
  put('head.html', 'a page');
  put('head-large.bin', Buffer.alloc(1_200_000));
  for (const path of ['/head.html', '/head-large.bin', '/nowhere-at-all']) {
    const whole = await get(path);
    const { status, headers, bytes } = await ask(server.origin, path, { method: 'HEAD' });
    t.deepEqual([status, bytes.length], [whole.status, 0]);
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'last-modified'])
      t.is(headers[name], whole.headers[name], `${path} ${name}`);
  }
});

test('404: a missing page is answered with the site’s own page, which clients ask about each time', async (t) => {
  put('404.html', '<h1>Not here</h1>');
  const { status, text, headers } = await get('/not/here/');
  t.deepEqual([status, text], [404, '<h1>Not here</h1>']);
  t.deepEqual([headers['content-type'], headers['cache-control']], ['text/html; charset=utf-8', 'no-cache']);
});

test('404: a folder without an index is not listed', async (t) => {
  put('listed/secret-name.txt', 'x');
  for (const path of ['/listed/', '/listed', '/listed/.', '/listed//']) {
    const { status, text } = await get(path);
    t.is(status, 404, path);
    t.notRegex(text, /secret-name/);
  }
});

test('404: the webhook’s path serves no file, however it is spelled', async (t) => {
  put('webhook/index.html', 'a page in the way');
  put('webhook.html', 'another');
  t.is((await get('/webhook')).status, 405);
  t.is((await get('/webhook/')).status, 405);
  for (const path of ['/%77ebhook', '/%77ebhook/', '/webhoo%6B']) t.is((await get(path)).status, 404, path);
});

const health = async (headers: Record<string, string>) =>
  JSON.parse((await ask(server.origin, '/healthz?verbose', { headers })).text) as unknown;

const DETAILS = { ok: true, durability: 'disk' };

test('/healthz?verbose has details for whoever has the token, and for nobody else', async (t) => {
  t.deepEqual(await health({ Authorization: `Bearer ${STATUS_TOKEN}` }), DETAILS);
  t.deepEqual(await health({ Host: 'example.com', Authorization: `Bearer ${STATUS_TOKEN}` }), DETAILS);
  // From this machine, as a proxy hands on what strangers send.
  t.deepEqual(await health({}), { ok: true });
  t.deepEqual(await health({ Host: 'localhost' }), { ok: true });
  for (const token of ['', 'wrong', `${STATUS_TOKEN}x`, STATUS_TOKEN.slice(1)])
    t.deepEqual(await health({ Authorization: `Bearer ${token}` }), { ok: true }, token);
});

test('405-healthz: /healthz answers GET and HEAD alone', async (t) => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST', 'OPTIONS']) {
    const answer = await fetch(`${server.origin}/healthz`, { method });
    t.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'], method);
    t.is(await answer.text(), `{"error":"${method} is not allowed here; use GET or HEAD"}`);
  }
  t.is((await fetch(`${server.origin}/healthz`, { method: 'HEAD' })).status, 200);
});
