import test from 'ava';
import { XMLValidator } from 'fast-xml-parser';
import { createArticleList } from '../../../../src/site/index/article-list.js';
import { createSitemap } from '../../../../src/site/outputs/sitemap.js';
import { siteInfo } from '../../../support/site-info.js';
import { post } from '../post.js';

function textsOf(files: readonly string[], sitemap: ReturnType<typeof createSitemap>): Promise<string[]> {
  return Promise.all(files.map((file) => sitemap.at(file)?.() ?? 'none'));
}

test('beyond a thousand articles the sitemap is an index, and a change costs one part', async (t) => {
  const list = createArticleList();
  const sitemap = createSitemap(siteInfo('https://x.example'), list);
  for (let time = 0; time < 2_001; time++) list.swap(undefined, post(time));
  const files = sitemap.changed(list.takeChanges());
  t.deepEqual(files, ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml', 'sitemap-3.xml']);
  t.deepEqual(sitemap.files(), files);
  const texts = await textsOf(files, sitemap);
  for (const text of texts) t.is(XMLValidator.validate(text), true);
  t.deepEqual(
    texts.map((text) => text.match(/<loc>/g)?.length),
    [3, 1_001, 1_000, 1], // the first part has home as well
  );
  t.true(texts[0]?.includes(`<lastmod>${new Date(1_999).toISOString()}</lastmod>`));

  list.swap(post(1_500), { ...post(1_500, 1), modified: 86_400_000 });
  t.deepEqual(sitemap.changed(list.takeChanges()), ['sitemap.xml', 'sitemap-2.xml']);
  t.true(
    (await textsOf(['sitemap.xml'], sitemap))[0]?.includes('<lastmod>1970-01-02T00:00:00.000Z</lastmod>'),
  );
  t.is(sitemap.at('sitemap-4.xml'), undefined);
});

test('where one file becomes several or several become one, all of them change', (t) => {
  const list = createArticleList();
  const sitemap = createSitemap(siteInfo('https://x.example'), list);
  for (let time = 0; time < 1_000; time++) list.swap(undefined, post(time));
  t.deepEqual(sitemap.changed(list.takeChanges()), ['sitemap.xml']);
  t.is(sitemap.at('sitemap-1.xml'), undefined);
  list.swap(undefined, post(1_000));
  t.deepEqual(sitemap.changed(list.takeChanges()), ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml']);
  list.swap(post(1_000), undefined);
  t.deepEqual(sitemap.changed(list.takeChanges()), ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml']);
  t.deepEqual(sitemap.files(), ['sitemap.xml']);
});
