import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('200: the built page is served at its path; 404 with the site’s own page elsewhere', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir, args: ['--no-live'] });
  await receiver.post('article.published', article({ slug: 'hive' }));
  await until(
    () =>
      fs.existsSync(join(dir, 'public/articles/hive/index.html')) &&
      fs.existsSync(join(dir, 'public/404.html')),
  );
  const page = await fetch(`${receiver.origin}/articles/hive/`);
  t.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  t.true((await page.text()).includes('<!-- svc:item:'));
  const nowhere = await fetch(`${receiver.origin}/nowhere/`);
  t.is(nowhere.status, 404);
  t.is(await nowhere.text(), fs.readFileSync(join(dir, 'public/404.html'), 'utf8'));
  const head = await fetch(`${receiver.origin}/nowhere/`, { method: 'HEAD' });
  t.deepEqual([head.status, await head.text()], [404, '']);
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
  t.deepEqual([root.status, root.headers.get('location')], [301, '/blog/']);
  const bare = await fetch(`${receiver.origin}/blog`, { redirect: 'manual' });
  t.deepEqual([bare.status, bare.headers.get('location')], [301, '/blog/']);
  const withoutSlash = await fetch(`${receiver.origin}/blog/articles/hive`, { redirect: 'manual' });
  t.is(withoutSlash.headers.get('location'), '/blog/articles/hive/');
  t.is((await fetch(`${receiver.origin}/articles/hive/`)).status, 404);
  t.is((await receiver.find('https://garden.example/blog/articles/hive')).id, json.id);
});
