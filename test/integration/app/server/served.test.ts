import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { STATUS_TOKEN } from '../../../support/receiver.js';
import { sendThenRead } from '../../../support/sockets.js';
import { sharedPreview } from './preview-server.js';

const server = sharedPreview(test);
const { dir, put } = server;

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

test.serial.before(() => {
  fs.mkdirSync(join(dir, 'public/sub/.git'), { recursive: true });
  fs.mkdirSync(join(dir, 'public/.well-known'));
  fs.mkdirSync(join(dir, 'public-too'));
  fs.writeFileSync(join(dir, '.env'), 'PRESSMARK_SECRET=not-for-everybody');
  fs.writeFileSync(join(dir, 'readable.txt'), 'not-for-everybody');
  fs.writeFileSync(join(dir, 'public-too/index.html'), 'not-for-everybody');
  fs.writeFileSync(join(dir, 'public/.hidden'), 'not-for-everybody');
  fs.writeFileSync(join(dir, 'public/sub/.git/config'), 'not-for-everybody');
  fs.writeFileSync(join(dir, 'public/.well-known/security.txt'), 'for everybody');
  fs.writeFileSync(join(dir, 'public/page.txt'), 'for everybody');
  fs.symlinkSync('../readable.txt', join(dir, 'public/link-out.txt'));
  fs.symlinkSync(dir, join(dir, 'public/folder-out'));
  fs.symlinkSync('.hidden', join(dir, 'public/link-to-hidden.txt'));
  fs.symlinkSync('sub/.git', join(dir, 'public/link-to-git'));
  fs.symlinkSync('page.txt', join(dir, 'public/link-inside.txt'));
  fs.symlinkSync('circle', join(dir, 'public/circle'));
});

/** As bytes on the wire: no client between that would put a path in order. */
async function raw(target: string): Promise<{ status: number; body: string }> {
  return sendThenRead(server.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, []);
}

const NOWHERE = [
  ...['/../readable.txt', '/../../readable.txt', '/sub/../../readable.txt', '/../public-too/', '/..-too/'],
  ...['/%2e%2e/readable.txt', '/%2E%2E/readable.txt', '/.%2e/readable.txt', '/%252e%252e/readable.txt'],
  ...['/..%2freadable.txt', '/..%2Freadable.txt', '/%2e%2e%2freadable.txt', '/sub%2f..%2f..%2freadable.txt'],
  ...[
    '/..%5creadable.txt',
    '/..\\readable.txt',
    '/sub\\..\\..\\readable.txt',
    '/%252e%252e%252freadable.txt',
  ],
  ...['/..%c0%afreadable.txt', '/%c0%ae%c0%ae/readable.txt', '/%e0%80%ae%e0%80%ae/readable.txt'],
  ...[
    '//readable.txt',
    '///../readable.txt',
    '/./page.txt',
    '/sub/./../page.txt',
    '/page.txt/',
    '/page.txt/x',
  ],
  ...['/page.txt%00', '/readable.txt%00.html', '/page.txt%0a', '/%', '/%zz', '/%ff'],
  ...['/.hidden', '/%2ehidden', '/sub/.git/config', '/sub/%2egit/config', '/.env', '/.pressmark/journal'],
  ...['/.well-known/../.hidden', '/link-out.txt', '/folder-out/readable.txt', '/folder-out/'],
  ...[
    '/link-to-hidden.txt',
    '/link-to-git/config',
    '/circle',
    `/${'a'.repeat(300)}`,
    `/${'a/'.repeat(3_000)}`,
  ],
  'http://elsewhere.example/../readable.txt',
];

test('404: no spelling of a path, and no link, leads to a file that is not the site’s', async (t) => {
  for (const target of NOWHERE) {
    const { status, body } = await raw(target);
    t.is(status, 404, target.slice(0, 60));
    t.false(body.includes('for-everybody') || body.includes('for everybody'), target.slice(0, 60));
  }
});

test('400 or 404: what is not a path', async (t) => {
  for (const target of ['*', 'readable.txt', '../readable.txt', '\\..\\readable.txt', '?x', '']) {
    const { status, body } = await raw(target);
    t.true(status === 400 || status === 404, `${target}: ${status}`);
    t.false(body.includes('for-everybody'));
  }
});

test('404: no redirect leads to another host', async (t) => {
  fs.mkdirSync(join(dir, 'public/elsewhere.example'), { recursive: true });
  fs.writeFileSync(join(dir, 'public/elsewhere.example/index.html'), 'x');
  for (const target of [
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/%2felsewhere.example',
    '///elsewhere.example',
  ])
    t.is((await raw(target)).status, 404, target);
  const { headers } = await ask(server.origin, '/elsewhere.example');
  t.is(headers.location, '/elsewhere.example/');
});

test('200: a link inside the folder, .well-known and a name with dots are served', async (t) => {
  fs.writeFileSync(join(dir, 'public/a..b...txt'), 'dots');
  t.is((await raw('/link-inside.txt')).body, 'for everybody');
  t.is((await raw('/.well-known/security.txt')).body, 'for everybody');
  t.is((await raw('/a..b...txt')).body, 'dots');
  t.is((await raw('http://elsewhere.example/page.txt')).body, 'for everybody');
});

test('404: the server does not wait for a socket or a pipe, and serves the next file', async (t) => {
  const socket = net.createServer().listen(join(dir, 'public/socket.txt'));
  t.teardown(() => socket.close());
  await once(socket, 'listening');
  execFileSync('mkfifo', [join(dir, 'public/pipe.txt')]);
  t.is((await raw('/socket.txt')).status, 404);
  t.is((await raw('/pipe.txt')).status, 404);
  t.is((await raw('/page.txt')).body, 'for everybody');
});
