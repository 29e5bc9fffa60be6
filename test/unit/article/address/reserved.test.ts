import test from 'ava';
import { isReservedFile, isReservedSlug } from '../../../../src/article/address/reserved.js';

test('the site’s own files and folders are reserved, at its top alone and without regard to case', (t) => {
  for (const file of [
    ...['index.html', 'INDEX.html', 'index.htm', '404.html', 'cname', 'CNAME/index.html', '_headers'],
    ...['feed.xml', 'feed.xml/index.html', 'sitemap.xml', 'sitemap-12.xml', 'Tags/soil/index.html'],
    ...['tags.html', 'pagefind/index.html', 'search/index.html', 'assets/x.css'],
  ])
    t.true(isReservedFile(file), file);
  for (const file of [
    ...['a/index.html', 'a/tags/index.html', 'tagsx/index.html', 'tags-article/index.html'],
    ...['articles/feed.xml/index.html', 'admin/index.html', 'feed/index.html'],
  ])
    t.false(isReservedFile(file), file);
});

test('a slug is reserved by the names of these files, by what is customary, and by the devices of Windows', (t) => {
  for (const slug of ['404', 'cname', 'feed', 'index', 'pagefind', 'tags', 'admin', 'webhook', 'aux', 'com1'])
    t.true(isReservedSlug(slug), slug);
  for (const slug of ['feeds', 'cname-2', 'com', 'tags-article', 'html']) t.false(isReservedSlug(slug), slug);
});
