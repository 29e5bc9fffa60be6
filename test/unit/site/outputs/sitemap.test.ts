import test from 'ava';
import { XMLValidator } from 'fast-xml-parser';
import { type ArticleList, createArticleList } from '../../../../src/site/index/article-list.js';
import { createSiteIndex } from '../../../../src/site/index/site-index.js';
import { sitemap as sitemapOf } from '../../../../src/site/outputs/sitemap.js';
import { siteInfo } from '../../../support/site-info.js';
import { post } from '../post.js';

const NO_CHANGE = createSiteIndex(siteInfo('https://x.example'), () => false).takeChange();

function textsOf(files: readonly string[], sitemap: ReturnType<typeof sitemapOf>): Promise<string[]> {
  return Promise.all(files.map(async (file) => String(await sitemap.render(file))));
}

function affected(sitemap: ReturnType<typeof sitemapOf>, list: ArticleList): string[] {
  return [...sitemap.affectedBy({ ...NO_CHANGE, all: list.takeChange() })];
}

test('beyond a thousand articles the sitemap is an index, and a change costs one part', async (t) => {
  const list = createArticleList();
  const sitemap = sitemapOf(siteInfo('https://x.example'), list);
  for (let time = 0; time < 2_001; time++) list.swap(undefined, post(time));
  const files = affected(sitemap, list);
  t.deepEqual(files, ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml', 'sitemap-3.xml']);
  t.deepEqual([...sitemap.paths()], files);
  const texts = await textsOf(files, sitemap);
  for (const text of texts) t.is(XMLValidator.validate(text), true);
  t.deepEqual(
    texts.map((text) => text.match(/<loc>/g)?.length),
    [3, 1_001, 1_000, 1], // the first part has home as well
  );
  t.true(texts[0]?.includes(`<lastmod>${new Date(1_999).toISOString()}</lastmod>`));

  list.swap(post(1_500), { ...post(1_500, 1), modified: 86_400_000 });
  t.deepEqual(affected(sitemap, list), ['sitemap.xml', 'sitemap-2.xml']);
  t.true(
    (await textsOf(['sitemap.xml'], sitemap))[0]?.includes('<lastmod>1970-01-02T00:00:00.000Z</lastmod>'),
  );
  t.false(sitemap.has('sitemap-4.xml'));
});

test('the first part lists the owner’s pages, and changes where an article takes the address of one', async (t) => {
  const list = createArticleList();
  const paths = ['/about/'];
  const pages = { has: (file: string) => file === 'about/index.html', paths: () => paths };
  const sitemap = sitemapOf(siteInfo('https://x.example'), list, pages);
  for (let time = 0; time < 1_001; time++) list.swap(undefined, post(time));
  affected(sitemap, list);
  list.swap(undefined, post(1_001));
  const change = { ...NO_CHANGE, all: list.takeChange(), pages: new Set(['about/index.html']) };
  t.deepEqual([...sitemap.affectedBy(change)], ['sitemap.xml', 'sitemap-2.xml', 'sitemap-1.xml']);
  t.true((await textsOf(['sitemap-1.xml'], sitemap))[0]?.includes('/about/'));
});

test('the first part changes where a page of the owner’s has changed, and with a text on a tag nothing does', (t) => {
  const list = createArticleList();
  const sitemap = sitemapOf(siteInfo('https://x.example'), list);
  const changed = (path: string) => [...sitemap.affectedBy({ ...NO_CHANGE, texts: new Set([path]) })];
  t.deepEqual(changed('pages/about.md'), ['sitemap.xml']);
  t.deepEqual(changed('tags/soil.md'), []);
});

test('where one file becomes several or several become one, all of them change', (t) => {
  const list = createArticleList();
  const sitemap = sitemapOf(siteInfo('https://x.example'), list);
  for (let time = 0; time < 1_000; time++) list.swap(undefined, post(time));
  t.deepEqual(affected(sitemap, list), ['sitemap.xml']);
  t.false(sitemap.has('sitemap-1.xml'));
  list.swap(undefined, post(1_000));
  t.deepEqual(affected(sitemap, list), ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml']);
  list.swap(post(1_000), undefined);
  t.deepEqual(affected(sitemap, list), ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml']);
  t.deepEqual([...sitemap.paths()], ['sitemap.xml']);
});
