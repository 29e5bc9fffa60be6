import test from 'ava';
import { PAGES, sharedSite } from './demo-site.js';
import { measure } from './lighthouse-run.js';

const site = sharedSite(test);

test('Lighthouse gives home, an article, a page of the owner’s and a tag all points for accessibility, best practices and search engines', async (t) => {
  const urls = [PAGES.home, PAGES.article, PAGES['page of the owner’s'], PAGES.tag].map(
    (path) => `${site().origin}${path}`,
  );
  for (const { points, lost } of await measure(urls)) {
    const { performance, ...others } = points; // depends on the machine; `npm run lighthouse` measures it
    t.true(performance > 0);
    t.deepEqual(others, { accessibility: 100, 'best-practices': 100, seo: 100 }, lost.join('\n'));
  }
});
