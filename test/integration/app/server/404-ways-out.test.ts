import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { ask } from '../../../support/ask.js';
import { sendThenRead } from '../../../support/sockets.js';
import { sharedPreview } from './preview-server.js';

const server = sharedPreview(test);
const { dir } = server;

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
