import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createTestHost, createTestSite, fakeArticle } from 'pressmark/testing';
import { definePlugin } from '../../../src/host/plugin.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('a test site: with its time moved on, scheduled articles get their pages at their minutes, also after a restart, which keeps what is stored', async (t) => {
  const site = await createTestSite({ config: { articles: { file: ':slug.markdown' } } });
  t.teardown(site.close);
  const live = await site.deliver({ title: 'Soil', content_html: '<p>Dark.</p>' });
  await site.built(live.url, 'Dark.');
  const published_at = new Date(Date.now() + DAY_MS).toISOString();
  const { id, url } = await site.deliver({ title: 'To come', published_at });
  const later = new Date(Date.now() + 2 * DAY_MS).toISOString();
  const last = await site.deliver({ title: 'Later', published_at: later });
  const hasPage = (of: string) => fs.existsSync(join(site.dir, 'public', new URL(of).pathname, 'index.html'));
  const scheduled = () => site.log.filter(({ msg }) => msg === 'the article is scheduled').length;
  await site.until('both are scheduled', () => scheduled() === 2);
  t.false(hasPage(url));
  site.advance(DAY_MS + 60_000);
  await site.built(url, 'To come');
  await site.restart();
  t.regex(site.stored(id), /^title: "To come"$/m);
  // Nearly an hour before the date of the other one.
  site.advance(DAY_MS - HOUR_MS);
  t.is((await site.update(url, { title: 'Came' })).status, 200);
  await site.built(url, 'Came');
  const found = await site.send('article.lookup', { target_url: url });
  t.is(JSON.stringify(found.body.target).split(':item:').length, 2, 'its comment is there once');
  t.false(hasPage(last.url));
  site.advance(HOUR_MS);
  await site.built(last.url, 'Later');
  const { dir } = site;
  await site.close();
  t.false(fs.existsSync(dir));
  t.true(Math.abs(Date.now() - Date.parse(published_at)) > DAY_MS / 2, 'the clock is as it was');
});

test.serial('a test site that cannot be started leaves nothing behind', async (t) => {
  const sites = () => fs.readdirSync(tmpdir()).filter((name) => name.startsWith('pressmark-site-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = fs.mkdtempSync(join(tmpdir(), 'of-this-test-'));
  await t.throwsAsync(createTestSite({ config: { unknown: true } as object }), { code: 'CONFIG_INVALID' });
  t.deepEqual(sites(), []);
  fs.rmSync(process.env.TMPDIR, { recursive: true });
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
});

test('a test host runs filters, actions and outputs of a plugin on made-up articles', async (t) => {
  let put: (() => Promise<unknown>) | undefined;
  const plugin = definePlugin<{ mark: string }>({
    name: 'marks',
    secrets: ['MARK_TOKEN'],
    receiver(host) {
      host.addFilter('article.slug', (slug) => `${slug}-${host.secrets.MARK_TOKEN}`);
      put = () => host.assets.put(Buffer.alloc(1));
      host.addAction('article.live', async ({ id }) => {
        host.log.info(`${(await host.articles.get(id))?.title} is live`);
      });
    },
    pages: (host) => host.addOutput({ path: 'marks.txt', render: () => 'marks' }),
  });
  const host = await createTestHost(plugin, {
    articles: [{ title: 'Soil' }],
    secrets: { MARK_TOKEN: 'the-mark' },
  });
  t.is(await host.applyFilters('article.slug', 'soil', fakeArticle()), 'soil-the-mark');
  await host.doAction('article.live', { id: 'article-1', url: 'u', path: 'p', at: 'a', ms: 1 });
  t.deepEqual(
    host.log.map(({ plugin: name, msg }) => [name, msg]),
    [['marks', 'Soil is live']],
  );
  await t.throwsAsync(async () => put?.(), { message: /only while the receiver runs/ });
  await host.close();
  const pages = await createTestHost(plugin, { face: 'pages' });
  t.deepEqual(
    pages.outputs.map(({ path }) => path),
    ['marks.txt'],
  );
  await pages.close();
  await t.throwsAsync(createTestHost(plugin, { options: {}, secrets: { MARK_TOKEN: 'x' } }), {
    message: /takes no options/,
  });
});
