import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { put, type TestSite, testSite } from './test-site.js';

/** What the page of an article says of others. */
function shownOn(site: TestSite, slug: string): { previous: string; next: string; related: string[] } {
  return JSON.parse(site.page(`articles/${slug}/index.html`));
}

function neighbourSite(t: Parameters<typeof testSite>[0]): TestSite {
  const site = testSite(t);
  put(
    join(site.options.templatesDir, 'article.eta'),
    `<%~ JSON.stringify({
      previous: it.article.previous?.title ?? '',
      next: it.article.next?.title ?? '',
      related: it.article.related.map(({ title }) => title),
    }) %>`,
  );
  return site;
}

test('an article knows the one before, the one after, and those near it that share tags', async (t) => {
  const site = neighbourSite(t);
  const write = (slug: string, day: number, tags: string[]) =>
    site.write(slug, { title: slug, date: `2026-01-${10 + day}`, tags });
  write('a', 1, ['x']);
  write('b', 2, ['x', 'y']);
  write('c', 3, ['z']);
  write('d', 4, ['y', 'x']);
  write('e', 5, ['x']);
  write('f', 6, ['x']);
  await site.builder.buildAll();
  t.deepEqual(shownOn(site, 'a'), { previous: '', next: 'b', related: ['b'] });
  // b shares two tags, e is as near as can be; f is too far ahead, c shares nothing.
  t.deepEqual(shownOn(site, 'd'), { previous: 'c', next: 'e', related: ['b', 'e', 'a'] });
  t.deepEqual(shownOn(site, 'c'), { previous: 'b', next: 'd', related: [] });
  t.deepEqual(shownOn(site, 'f'), { previous: 'e', next: '', related: ['e', 'd', 'b', 'a'] });

  await site.builder.buildChanged([write('d', 4, ['z'])]);
  t.deepEqual(shownOn(site, 'c'), { previous: 'b', next: 'd', related: ['d'] });
  t.deepEqual(shownOn(site, 'e'), { previous: 'd', next: 'f', related: ['f', 'b', 'a'] });

  fs.rmSync(join(site.options.content.root, 'articles/e.md'));
  await site.builder.buildChanged(['articles/e.md']);
  t.deepEqual(shownOn(site, 'f'), { previous: 'd', next: '', related: ['b', 'a'] });
});
