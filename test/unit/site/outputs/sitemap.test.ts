import test from 'ava';
import { XMLValidator } from 'fast-xml-parser';
import { pino } from 'pino';
import type { Filters, PageInfo } from '../../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { siteIndex } from '../../../../src/site/index/site-index.js';
import type { Sources } from '../../../../src/site/outputs/planner.js';
import { sitemap } from '../../../../src/site/outputs/sitemap.js';
import { siteInfo } from '../../../support/site-info.js';
import { post } from '../post.js';

const silent = pino({ level: 'silent' });
const SITE = siteInfo('https://x.example');

/** The texts of a sitemap of so many articles, by their files, with at most so many addresses in each. */
async function sitemapOf(
  articles: number,
  most: number,
  hooks = createHooks(silent, { face: 'pages' }),
): Promise<Record<string, string>> {
  const entries = Array.from({ length: articles }, (_, time) => post(time));
  const index = siteIndex(entries, new Map(), () => false);
  const files = [...sitemap(SITE, hooks, () => false, most)({ index, renderer: { key: '' } } as Sources)];
  return Object.fromEntries(
    await Promise.all(files.map(async ({ path, render }) => [path, String(await render())] as const)),
  );
}

test('a sitemap is one file as long as that may hold it, and else an index of its parts', async (t) => {
  const one = await sitemapOf(9, 10);
  t.deepEqual(Object.keys(one), ['sitemap.xml']);
  t.is(one['sitemap.xml']?.match(/<loc>/g)?.length, 10);
  t.true(one['sitemap.xml']?.includes('<loc>https://x.example/</loc>'));

  const parts = await sitemapOf(20, 10);
  t.deepEqual(Object.keys(parts), ['sitemap.xml', 'sitemap-1.xml', 'sitemap-2.xml', 'sitemap-3.xml']);
  t.deepEqual(
    Object.values(parts).map((text) => text.match(/<loc>/g)?.length),
    [3, 10, 10, 1],
  );
  for (const text of Object.values(parts)) t.is(XMLValidator.validate(text), true);
});

test('a filter of sitemap.items leaves addresses out of each file of a sitemap', async (t) => {
  const hooks = createHooks(silent, { face: 'pages' });
  const seen: (string | undefined)[] = [];
  const filter = (items: Filters['sitemap.items']['value'], { path }: PageInfo) => {
    seen.push(path);
    return items.filter(({ article }) => article?.id !== 'a3.md');
  };
  hooks.addFilter('sitemap.items', filter, { plugin: 'test' });
  const whole = Object.values(await sitemapOf(9, 10)).join('');
  const filtered = Object.values(await sitemapOf(9, 10, hooks)).join('');
  t.is(filtered.match(/<loc>/g)?.length, (whole.match(/<loc>/g)?.length ?? 0) - 1);
  await sitemapOf(20, 10, hooks);
  t.deepEqual(seen, ['/sitemap.xml', '/sitemap-1.xml', '/sitemap-2.xml', '/sitemap-3.xml']);
});
