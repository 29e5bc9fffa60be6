import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { sendThenRead } from '../../support/sockets.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('200: the built page is served at its path; 404 with the site’s own page elsewhere', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir });
  await receiver.post('article.published', article({ slug: 'hive' }));
  await until(
    () =>
      fs.existsSync(join(dir, 'public/articles/hive/index.html')) &&
      fs.existsSync(join(dir, 'public/404.html')),
  );
  const page = await fetch(`${receiver.origin}/articles/hive/`);
  t.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html;charset=utf-8']);
  t.true((await page.text()).includes('<!-- svc:item:'));
  const nowhere = await fetch(`${receiver.origin}/nowhere/`);
  t.is(nowhere.status, 404);
  t.is(await nowhere.text(), fs.readFileSync(join(dir, 'public/404.html'), 'utf8'));
  const head = await fetch(`${receiver.origin}/nowhere/`, { method: 'HEAD' });
  t.deepEqual([head.status, await head.text()], [404, '']);
});

test('404: no way out of the built site, no secrets, no dot files', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, '.env'), 'PRESSMARK_SECRET=not-for-everybody');
  const receiver = await startReceiver(t, { dir });
  fs.mkdirSync(join(dir, 'public'), { recursive: true });
  fs.writeFileSync(join(dir, 'public/.hidden'), 'hidden');
  for (const path of [
    '/../.env',
    '/%2e%2e/.env',
    '/..%2f.env',
    '/.hidden',
    '/%2ehidden',
    '/%',
    '/.pressmark/journal',
    '/articles/../../.env',
  ]) {
    const { status, body } = await sendThenRead(
      receiver.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      [],
    );
    t.is(status, 404, path);
    t.notRegex(body, /not-for-everybody|hidden/);
  }
});

test('200: a site below a path is served there, and the root leads to it', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, {
    dir,
    env: { PRESSMARK_SITE_URL: 'https://garden.example/blog' },
  });
  const { json } = await receiver.post('article.published', article({ slug: 'hive' }));
  t.is(json.url, 'https://garden.example/blog/articles/hive/');
  await until(async () => (await fetch(`${receiver.origin}/blog/articles/hive/`)).status === 200);
  const root = await fetch(`${receiver.origin}/`, { redirect: 'manual' });
  t.deepEqual([root.status, root.headers.get('location')], [302, '/blog/']);
  t.is((await receiver.find('https://garden.example/blog/articles/hive')).id, json.id);
});

test('a file that cannot be opened ends its own request, not the receiver', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir });
  fs.mkdirSync(join(dir, 'public'), { recursive: true });
  // Nobody can open a socket's name, whatever they may read.
  const socket = net.createServer().listen(join(dir, 'public/socket.txt'));
  t.teardown(() => socket.close());
  await until(() => socket.listening);
  await t.throwsAsync(fetch(`${receiver.origin}/socket.txt`).then((response) => response.text()));
  t.is((await receiver.post('article.published', article())).status, 200);
});
