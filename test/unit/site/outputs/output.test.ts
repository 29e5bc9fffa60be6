import test from 'ava';
import { type Output, planAll, reservedPlaces, type Sources } from '../../../../src/site/outputs/output.js';

test('no article has its page where an output has files, at the top of the site and without regard to case', (t) => {
  const reserving = (...reserved: string[]): Output => ({ reserved, plan: () => [] });
  const reserved = reservedPlaces([
    reserving('index.html', '404.html'),
    reserving('tags/'),
    reserving('sitemap*.xml', 'a+b.txt'),
  ]);
  for (const path of [
    ...['index.html', 'INDEX.htm', '404.html', 'tags/x/index.html', 'Tags/page/1/index.html', 'tags.html'],
    ...['sitemap.xml', 'sitemap-12.xml', 'sitemap.xml/index.html', 'a+b.txt'],
  ])
    t.true(reserved.test(path), path);
  for (const path of [
    'a/index.html',
    'a/tags/index.html',
    'tagsx/index.html',
    'articles/sitemap.xml/index.html',
    'aab.txt',
  ])
    t.false(reserved.test(path), path);
});

test('the first of two outputs that have the same file makes it', (t) => {
  const output = (text: string): Output => ({
    reserved: [],
    plan: () => [{ path: 'a.txt', key: text, render: () => text }],
  });
  const planned = [...planAll([output('first'), output('second')], {} as Sources)];
  t.deepEqual(
    planned.map(({ key }) => key),
    ['first'],
  );
});
