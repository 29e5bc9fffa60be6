import { join } from 'node:path';
import test from 'ava';
import { matchPages, readPages } from '../../../../../src/app/build/addresses/match-pages.js';
import { folderWith } from '../../../../support/temp-dir.js';

const page = (address: string, ...titles: string[]) => ({ address, titles });
const post = (path: string, title: string, slug = path.replace(/^.*\//, '').replace(/\.md$/, '')) => ({
  path,
  slug,
  title,
});
const match = (posts: Parameters<typeof matchPages>[0], pages: Parameters<typeof matchPages>[1]) =>
  Object.fromEntries(matchPages(posts, pages));

test('a post’s page is the one whose address ends with its slug and whose title is the post’s', (t) => {
  const pages = [
    page('/2024/late-frost/', 'Late frost | Garden'),
    page('/tags/late-frost/', 'Posts about late-frost'),
    page('/notes/soil.html', 'My garden – Soil'),
    page('/', 'Late frost'),
    page('/caf%C3%A9/', 'Café'),
  ];
  t.deepEqual(
    match([post('late-frost.md', 'Late frost'), post('soil.md', 'Soil'), post('café.md', 'Café')], pages),
    {
      'late-frost.md': '/2024/late-frost/',
      'soil.md': '/notes/soil.html',
      'café.md': '/caf%C3%A9/',
    },
  );
});

test('a page with another title, and a title that only begins alike, is nobody’s', (t) => {
  t.deepEqual(
    match([post('soil.md', 'Soil')], [page('/soil/', 'Soilless gardens'), page('/soil/', 'Water')]),
    {},
  );
  t.deepEqual(match([post('soil.md', '')], [page('/soil/', '')]), {});
});

test('what is ambiguous is not answered: several pages for one post, one page for several posts', (t) => {
  const pages = [page('/blog/soil/', 'Soil'), page('/en/blog/soil/', 'Soil')];
  t.deepEqual(match([post('soil.md', 'Soil')], pages), { 'soil.md': 'several pages' });
  t.deepEqual(match([post('a/soil.md', 'Soil'), post('b/soil.md', 'Soil')], [page('/soil/', 'Soil')]), {
    'a/soil.md': 'several pages',
    'b/soil.md': 'several pages',
  });
});

test('of two posts with one slug, each has the page at its own folder', (t) => {
  const pages = [page('/blog/2023/soil/', 'Soil'), page('/blog/2024/soil/', 'Soil')];
  t.deepEqual(match([post('2023/soil.md', 'Soil'), post('2024/soil/index.md', 'Soil', 'soil')], pages), {
    '2023/soil.md': '/blog/2023/soil/',
    '2024/soil/index.md': '/blog/2024/soil/',
  });
});

test('the page of a post in a folder is not that of a post with the same title above it', (t) => {
  const posts = [post('soil.md', 'Soil'), post('de/soil.md', 'Soil')];
  for (const german of ['/blog/de/soil/', '/de/blog/soil/'])
    t.deepEqual(match(posts, [page('/blog/soil/', 'Soil'), page(german, 'Soil')]), {
      'soil.md': '/blog/soil/',
      'de/soil.md': german,
    });
});

test('the page of a tag, a category or an author is no post’s, unless posts are in such a folder', (t) => {
  for (const address of ['/tags/soil/', '/blog/category/soil.html', '/authors/soil/'])
    t.deepEqual(match([post('blog/soil.md', 'Soil')], [page(address, 'Soil')]), {});
  const topics = [page('/topics/soil/', 'Soil')];
  t.deepEqual(match([post('topics/soil.md', 'Soil')], topics), { 'topics/soil.md': '/topics/soil/' });
  t.deepEqual(
    [...matchPages([post('soil.md', 'Soil')], topics, '/topics/:slug/')],
    [['soil.md', '/topics/soil/']],
  );
});

test('the pages of a site are read with their titles and headings; an alias is not a page', async (t) => {
  const output = folderWith(t, {
    'a/index.html': '<title>A &amp; B | Garden</title><h1 class=x>A &amp; <em>B</em></h1><p>text',
    'b.html': '<meta property="og:title" content="B"><meta name="og:title" content="b">',
    'c.html': '<link rel="canonical" href="https://garden.example/base/c"><title>C</title>',
    'old/index.html': '<link rel="canonical" href="https://garden.example/base/a/"><title>A</title>',
    'feed.xml': '<title>Feed</title>',
  });
  const pagesOf = async (permalink: string) =>
    await readPages(output, 'https://garden.example/base', permalink);
  t.deepEqual(await pagesOf('/:slug.html'), [
    { address: '/a/', titles: ['A & B | Garden', 'A &  B '] },
    { address: '/b.html', titles: ['B', 'b'] },
    { address: '/c', titles: ['C'] },
  ]);
  t.is((await pagesOf('/:slug'))[1]?.address, '/b', 'as new articles have it');
  t.deepEqual(await readPages(join(output, 'none'), 'https://garden.example', '/'), []);
});
