import test from 'ava';
import { isReservedFile, isReservedSlug } from '../../../../src/article/address/reserved.js';

test('the site’s own files and folders are reserved, at its top alone and without regard to case', (t) => {
  for (const file of [
    'INDEX.html',
    'index.htm',
    'CNAME/index.html',
    'sitemap-12.xml',
    'Tags/soil/index.html',
    'tags.html',
  ])
    t.true(isReservedFile(file), file);
  for (const file of [
    'a/index.html',
    'a/tags/index.html',
    'tagsx/index.html',
    'articles/feed.xml/index.html',
  ])
    t.false(isReservedFile(file), file);
});

test('a slug is reserved by the names of these files, by what is customary, and by the devices of Windows', (t) => {
  for (const slug of ['404', 'feed', 'pagefind', 'admin', 'aux', 'com1']) t.true(isReservedSlug(slug), slug);
  for (const slug of ['feeds', 'com', 'tags-article']) t.false(isReservedSlug(slug), slug);
});
