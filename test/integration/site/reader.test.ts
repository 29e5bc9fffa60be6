import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleReader } from '../../../src/app/builder/site-builder.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { openSiteArticles } from '../../../src/site/index/articles.js';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import { fileOf, pathOf, put, SITE_URL, testSite } from './test-site.js';

test('plugins read articles as their files are now, and none that is there twice or is broken; the builder takes the edit in after them', async (t) => {
  const site = testSite(t);
  const catalog = createCatalog();
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  site.write('copy', { id: 'c', url: `${SITE_URL}/articles/c/` });
  const builder = createBuilder({ ...site.options, catalog });
  t.teardown(() => builder.close());
  await builder.build('all');
  const reader = articleReader(site.options.content, catalog, 'content/');

  t.is((await reader.find(`${SITE_URL}/articles/a#part`))?.id, 'a');
  t.is(await reader.find(`${SITE_URL}/articles/`), undefined);
  t.is(await reader.find('no url'), undefined);
  t.is(await reader.get('c'), undefined);
  t.deepEqual([...reader.ids()].sort(), ['a', 'b', 'c']);

  const path = site.write('a', { title: 'Newer' });
  fs.writeFileSync(join(site.options.content.root, pathOf('b')), 'broken');
  t.is((await reader.get('a'))?.title, 'Newer');
  t.is(await reader.get('b'), undefined);
  await builder.build([path]);
  for (const page of ['articles/a/index.html', 'index.html']) t.true(site.page(page).includes('Newer'), page);
});

test('another generator’s site may have its articles in a folder such as pages', (t) => {
  const { content, site, log } = testSite(t).options;
  const format = { ...content.format, isArticlePath: (path: string) => path.endsWith('.md') };
  const articles = openSiteArticles({ ...content, format }, site, createCatalog(), log);
  put(join(content.root, 'pages/a.md'), fileOf('a', SITE_URL, {}));
  articles.read(['pages/a.md']);
  t.deepEqual([[...articles.entries.keys()], articles.texts.size], [['pages/a.md'], 0]);
});

// Serial: all tests of a process share node:fs.
test.serial(
  'an article that was written is read once for all the pages and feeds that show it',
  async (t) => {
    const site = testSite(t);
    site.write('a');
    await site.builder.build('all');
    const path = site.write('new');
    const read: string[] = [];
    for (const name of ['readFileSync', 'openSync'] as const) {
      const original = fs[name];
      t.teardown(() => Reflect.set(fs, name, original));
      Reflect.set(fs, name, (file: unknown, ...rest: unknown[]) => {
        if (String(file).startsWith(site.options.content.root)) read.push(String(file));
        return Reflect.apply(original, fs, [file, ...rest]);
      });
    }
    await site.builder.build([path]);
    for (const page of ['articles/new/index.html', 'index.html', 'feed.xml'])
      t.true(site.page(page).includes('Title of new'), page);
    t.deepEqual(read, [join(site.options.content.root, path)]);
  },
);
