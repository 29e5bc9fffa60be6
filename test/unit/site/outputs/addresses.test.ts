import test from 'ava';
import { fileOf, linksOf } from '../../../../src/site/index/addresses.js';
import { reservedFiles } from '../../../../src/site/outputs/outputs.js';
import { siteInfo } from '../../../support/site-info.js';

const root = siteInfo('https://x.example');
const blog = siteInfo('https://x.example/blog');

test('a public URL belongs to one file of the site', (t) => {
  const files = {
    'https://x.example/articles/a': 'articles/a/index.html',
    'https://x.example/v1.2': 'v1.2/index.html',
    'https://x.example/old/page.html': 'old/page.html',
    'https://x.example/caf%C3%A9/%20x/#part': 'café/ x/index.html',
    'https://x.example/a/%2E%2e/b/': 'b/index.html',
    'HTTPS://X.example:443/a/': 'a/index.html',
  };
  for (const [url, file] of Object.entries(files)) t.is(fileOf(url, root), file, url);
  t.is(fileOf('https://x.example/blog/a/', blog), 'a/index.html');
});

test('a URL for which no static file of the site can stand has no file', (t) => {
  const others =
    'url https://other.example/a/ http://x.example/a/ https://user@x.example/a/ javascript:alert(1)';
  const paths = `?p=1 / a//b/ ..%2f..%2fetc/passwd a%00b/ %ff/ .git/config/ ${'a'.repeat(256)}/`.split(' ');
  for (const url of [...others.split(' '), ...paths.map((path) => `https://x.example/${path}`)])
    t.is(fileOf(url, root), undefined, url);
  for (const url of ['https://x.example/a/', 'https://x.example/blogs/a/', 'https://x.example/blog'])
    t.is(fileOf(url, blog), undefined, url);
});

test('links leave out the site’s own origin and no other', (t) => {
  t.is(linksOf(blog)('https://x.example/blog/a/'), '/blog/a/');
  t.is(linksOf(blog)('https://x.example.evil/'), 'https://x.example.evil/');
});

test('no article has its page where a plugin has files, at the top of the site and without regard to case', (t) => {
  const places = ['a+b.txt', 'Decks/', ''];
  const isReserved = reservedFiles(places.map((path) => ({ plugin: 'test', output: { path } as never })));
  for (const file of ['tags/x/index.html', 'A+B.txt', 'a+b.txt/index.html', 'decks/x.html', 'decks.html'])
    t.true(isReserved(file), file);
  for (const file of ['a/index.html', 'aab.txt', 'articles/decks/index.html', 'decksx/index.html'])
    t.false(isReserved(file), file);
});
