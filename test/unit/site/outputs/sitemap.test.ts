import test from 'ava';
import { pino } from 'pino';
import type { Filters } from '../../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../../src/host/hooks/hooks.js';
import { siteIndex } from '../../../../src/site/index/site-index.js';
import type { Sources } from '../../../../src/site/outputs/planner.js';
import { sitemap } from '../../../../src/site/outputs/sitemap.js';
import { siteInfo } from '../../../support/site-info.js';
import { post } from '../post.js';

test('a sitemap is one file as long as that may hold it, and else an index of its parts, each with the plugins’ filters', async (t) => {
  const hooks = createHooks(pino({ level: 'silent' }), { face: 'pages' });
  const without3 = (items: Filters['sitemap.items']['value']) =>
    items.filter(({ url }) => !url.endsWith('/a3/'));
  hooks.addFilter('sitemap.items', without3, { plugin: 'test' });

  /** The number of addresses in each file of a sitemap with at most ten. */
  async function sizesFor(articles: number) {
    const index = siteIndex(
      Array.from({ length: articles }, (_, time) => post(time)),
      new Map(),
      () => false,
    );
    const planner = sitemap(siteInfo('https://x.example'), hooks, () => false, 10);
    const files = [...planner({ index, renderer: { key: '' } } as Sources)];
    const sizes = files.map(async ({ path, render }) => [
      path,
      String(await render()).match(/<loc>/g)?.length,
    ]);
    return Object.fromEntries(await Promise.all(sizes));
  }
  t.deepEqual(await sizesFor(9), { 'sitemap.xml': 9 });
  t.deepEqual(await sizesFor(20), {
    'sitemap.xml': 3,
    'sitemap-1.xml': 9,
    'sitemap-2.xml': 10,
    'sitemap-3.xml': 1,
  });
});
