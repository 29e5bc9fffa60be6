import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ask } from '../../../support/ask.js';
import { bareServer } from '../../../support/bare-server.js';
import { STATUS_TOKEN } from '../../../support/receiver.js';
import { sendThenRead } from '../../../support/sockets.js';
import { makeTempDir, removeTempDir, writeFiles } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** The HTTP side of a receiver, without a store and without a builder. Every test has files of its own. */
const dir = makeTempDir();
const server = bareServer(join(dir, 'public'), {
  // Stands for the webhook, which has tests of its own.
  webhook: async (context, next) => {
    if (!/^\/webhook\/?$/.test(context.path)) return next();
    context.status = 405;
  },
  details: () => ({ durability: 'disk' }),
  statusToken: STATUS_TOKEN,
});
let [port, origin] = [0, ''];
test.before(async () => {
  port = await server.listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${port}`;
});
test.after.always(async () => {
  await server.close({ unfinishedMs: 0, wholeMs: 0 });
  removeTempDir(dir);
});

/** Puts a file into the output folder. @returns its path. */
function put(file: string, bytes: string | Uint8Array): string {
  writeFiles(join(dir, 'public'), { [file]: bytes });
  return join(dir, 'public', file);
}

const get = (path: string, headers: Record<string, string> = {}) => ask(origin, path, { headers });

test('200: text is served with its charset, and every file with its type', async (t) => {
  const types = {
    'page.html': 'text/html; charset=utf-8',
    'script.js': 'text/javascript; charset=utf-8',
    'feed.xml': 'application/xml',
    'photo.avif': 'image/avif',
    'module.wasm': 'application/wasm',
    'x.pf_fragment': 'application/octet-stream',
    CNAME: 'application/octet-stream',
  };
  for (const [name, type] of Object.entries(types)) {
    put(`types/${name}`, 'x');
    const { status, headers } = await get(`/types/${name}`);
    t.deepEqual(
      [status, headers['content-type'], headers['x-content-type-options']],
      [200, type, 'nosniff'],
      name,
    );
  }
});

test('200: a folder is served as its index, and its path without the slash redirects there with the query', async (t) => {
  put('folder/index.html', 'the index');
  put('plain.html', 'the page');
  t.is((await get('/folder/')).text, 'the index');
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
  t.is(again.headers['cache-control'], first.headers['cache-control']);
  t.is((await get('/etag.html', { 'If-None-Match': '*' })).status, 304);
  t.is(
    (await get('/etag.html', { 'If-Modified-Since': String(first.headers['last-modified']) })).status,
    304,
  );

  // The same size at the same time: only the time of the status change shows it.
  const { atime, mtime, ctimeMs } = fs.statSync(path);
  await until('the clock of the file system has moved on', () => {
    fs.writeFileSync(path, 'two');
    fs.utimesSync(path, atime, mtime);
    return fs.statSync(path).ctimeMs !== ctimeMs;
  });
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

test('206: a client gets the part of a file that it asks for', async (t) => {
  const size = 50_000; // more than is read at once
  const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
  put('parts.bin', bytes);
  const last = size - 1;
  for (const [range, start, end] of [
    ['bytes=0-9', 0, 9],
    ['bytes=-5', size - 5, last],
    [`bytes=10-${size * 2}`, 10, last],
  ] as const) {
    const part = await get('/parts.bin', { Range: range });
    t.is(part.status, 206, range);
    t.is(part.headers['content-range'], `bytes ${start}-${end}/${size}`);
    t.is(part.headers['content-length'], String(end - start + 1));
    t.true(part.bytes.equals(bytes.subarray(start, end + 1)), range);
  }
  const beyond = await get('/parts.bin', { Range: `bytes=${size}-` });
  t.deepEqual(
    [beyond.status, beyond.headers['content-range'], beyond.bytes.length],
    [416, `bytes */${size}`, 0],
  );
  for (const range of ['bytes=0-1,5-6', 'lines=0-9', 'nonsense']) {
    const whole = await get('/parts.bin', { Range: range });
    t.deepEqual([whole.status, whole.bytes.length], [200, size], range);
  }
});

test('206: a client gets the rest of a file only while it is the same file', async (t) => {
  put('rest.txt', '0123456789');
  const { headers } = await get('/rest.txt');
  const rest = (condition: unknown) => get('/rest.txt', { Range: 'bytes=5-', 'If-Range': String(condition) });
  t.is((await rest(headers.etag)).text, '56789');
  t.is((await rest(headers['last-modified'])).text, '56789');
  t.is((await rest('"another"')).text, '0123456789');
  t.is((await rest('Thu, 01 Jan 1970 00:00:00 GMT')).text, '0123456789');
});

/** Expects that HEAD has the headers of GET, and no body. */
async function sameForHead(t: ExecutionContext, path: string): Promise<void> {
  const whole = await get(path);
  const { status, headers, bytes } = await ask(origin, path, { method: 'HEAD' });
  t.deepEqual([status, bytes.length], [whole.status, 0]);
  for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'last-modified'])
    t.is(headers[name], whole.headers[name], `${path} ${name}`);
}

test('200: HEAD is answered with the headers of GET and no body', async (t) => {
  put('head.html', 'a page');
  await sameForHead(t, '/head.html');
});

test('404: a missing page is answered with the site’s own page, which clients ask about each time', async (t) => {
  put('404.html', '<h1>Not here</h1>');
  const { status, text, headers } = await get('/not/here/');
  t.deepEqual([status, text], [404, '<h1>Not here</h1>']);
  t.deepEqual([headers['content-type'], headers['cache-control']], ['text/html; charset=utf-8', 'no-cache']);
  await sameForHead(t, '/nowhere-at-all');
});

test('404: a folder without an index is not listed', async (t) => {
  put('listed/secret-name.txt', 'x');
  for (const path of ['/listed/', '/listed', '/listed//']) {
    const { status, text } = await get(path);
    t.deepEqual([status, text.includes('secret-name')], [404, false], path);
  }
});

test('404: the webhook’s path serves no file, however it is spelled', async (t) => {
  put('webhook/index.html', 'a page in the way');
  put('webhook.html', 'another');
  t.is((await get('/webhook')).status, 405);
  t.is((await get('/webhook/')).status, 405);
  for (const path of ['/%77ebhook', '/%77ebhook/', '/webhoo%6B']) t.is((await get(path)).status, 404, path);
});

test('/healthz?verbose has details for whoever has the token, and for nobody else', async (t) => {
  const health = async (headers: Record<string, string>) =>
    JSON.parse((await ask(origin, '/healthz?verbose', { headers })).text) as unknown;
  const authorized = (token: string) => health({ Host: 'example.com', Authorization: `Bearer ${token}` });
  t.deepEqual(await authorized(STATUS_TOKEN), { ok: true, durability: 'disk' });
  // From this machine, as a proxy hands on what strangers send.
  t.deepEqual(await health({ Host: 'localhost' }), { ok: true });
  for (const token of ['', `${STATUS_TOKEN}x`, STATUS_TOKEN.slice(1)])
    t.deepEqual(await authorized(token), { ok: true }, token);
});

test('405-healthz: /healthz answers GET and HEAD alone', async (t) => {
  const answer = await fetch(`${origin}/healthz`, { method: 'PUT' });
  t.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD']);
  t.is(await answer.text(), '{"error":"PUT is not allowed here; use GET or HEAD"}');
  t.is((await fetch(`${origin}/healthz`, { method: 'HEAD' })).status, 200);
});

test.serial.before(() => {
  for (const path of [
    '.env',
    'readable.txt',
    'public-too/index.html',
    'public/.hidden',
    'public/sub/.git/config',
  ])
    put(`../${path}`, 'not-for-everybody');
  for (const path of ['.well-known/security.txt', 'page.txt']) put(path, 'for everybody');
  for (const [link, target] of Object.entries({
    'link-out.txt': '../readable.txt',
    'folder-out': dir,
    'link-to-hidden.txt': '.hidden',
    'link-to-git': 'sub/.git',
    'link-inside.txt': 'page.txt',
    circle: 'circle',
  }))
    fs.symlinkSync(target, join(dir, 'public', link));
});

/** As bytes on the wire: no client between that would put a path in order. */
async function raw(target: string): Promise<{ status: number; body: string }> {
  return sendThenRead(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, []);
}

const NOWHERE = `
  /../readable.txt /sub/../../readable.txt /../public-too/ /..-too/ /%2e%2e/readable.txt /.%2e/readable.txt
  /%252e%252e/readable.txt /..%2freadable.txt /%2e%2e%2freadable.txt /sub%2f..%2f..%2freadable.txt /..%5creadable.txt
  /..\\readable.txt /..%c0%afreadable.txt /%c0%ae%c0%ae/readable.txt //readable.txt ///../readable.txt /./page.txt
  /page.txt/ /page.txt/x /page.txt%00 /readable.txt%00.html /page.txt%0a /% /%zz /%ff /.hidden /%2ehidden
  /sub/.git/config /sub/%2egit/config /.env /.pressmark/journal /.well-known/../.hidden /link-out.txt
  /folder-out/readable.txt /folder-out/ /link-to-hidden.txt /link-to-git/config /circle
  /${'a'.repeat(300)} /${'a/'.repeat(3_000)} http://elsewhere.example/../readable.txt`
  .trim()
  .split(/\s+/);

test('404: no spelling of a path, and no link, leads to a file that is not the site’s', async (t) => {
  for (const target of NOWHERE) {
    const { status, body } = await raw(target);
    t.is(status, 404, target.slice(0, 60));
    t.false(body.includes('for-everybody') || body.includes('for everybody'), target.slice(0, 60));
  }
});

test('400: a target without a path is the client’s fault, and no error of the receiver', async (t) => {
  for (const target of ['http://[', 'http://a]b/', 'http://'])
    t.deepEqual(await raw(target), {
      status: 400,
      body: '{"error":"the target of the request has no path"}',
    });
});

test('404: no redirect leads to another host', async (t) => {
  put('elsewhere.example/index.html', 'x');
  for (const target of ['//elsewhere.example', '/\\elsewhere.example', '/%2felsewhere.example'])
    t.is((await raw(target)).status, 404, target);
  t.is((await get('/elsewhere.example')).headers.location, '/elsewhere.example/');
});

test('200: a link inside the folder, .well-known and a name with dots are served', async (t) => {
  put('a..b...txt', 'dots');
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
  for (const path of ['/socket.txt', '/pipe.txt']) t.is((await raw(path)).status, 404);
  t.is((await raw('/page.txt')).body, 'for everybody');
});
