import test from 'ava';
import { createMarkers, createSiteReader, findPosts } from '../../../../src/deploy/trial/trial-pages.js';

const SITE_URL = 'https://example.com/base';
const markers = createMarkers('1a2b');
const [body, title] = [markers.body, markers.title];

const site = (pages: Record<string, string>) => {
  const reader = createSiteReader(markers, SITE_URL);
  for (const [file, html] of Object.entries(pages)) reader.add(file, html);
  return reader.site;
};

/** The findings for sites whose pages are the same in both builds but for the files' names in `after`. */
const find = (count: number, before: Record<string, string>, after = before) =>
  findPosts(count, site(before), site(after));

const post = (n: number, more = '') => `<title>${title(n)} | Site</title><p>${body(n)}</p>${more}`;
const proven = (address: string, moves = false) => ({ kind: 'proven', address, moves });
const unproven = (reason: string) => ({ kind: 'unproven', reason });

test('a marker is found in a page whatever its neighbours, and is told from longer ones', (t) => {
  t.deepEqual(markers.find(`x${body(1)}y ${body(12).toUpperCase()} ${title(3)}-${body(1)}`), {
    bodies: [1, 12],
    titles: [3],
  });
  t.deepEqual(createMarkers('ffff').find(body(1)), { bodies: [], titles: [] });
});

test('a post’s page is the one with its body', (t) => {
  t.deepEqual(
    find(3, { 'a/index.html': post(0), 'b.html': post(1), 'index.html': '<a href="/base/b">b</a>' }),
    [proven('/a/'), proven('/b'), unproven('no page')],
  );
});

test('lists that show whole posts are not taken for a post’s page', (t) => {
  t.deepEqual(
    find(2, {
      'a/index.html': post(0),
      'b/index.html': post(1),
      'index.html': `<title>Site</title>${body(0)}${body(1)}`,
      'page/2/index.html': `<title>Site</title><h1>${title(1)}</h1>${body(1)}`,
      'tags/soil/index.html': `<title>soil</title><h1>soil</h1><h2>${title(0)}</h2>${body(0)}`,
    }),
    [proven('/a/'), proven('/b/')],
  );
});

test('where titles do not tell, the heading does, and then the canonical link', (t) => {
  t.deepEqual(
    find(2, {
      'a/index.html': `<title>Site</title><h1>${title(0)}</h1>${body(0)}`,
      'tags/soil/index.html': `<title>Site</title><h1>Soil</h1>${body(0)}`,
      'b/index.html': `${post(1)}<link rel="canonical" href="${SITE_URL}/b/">`,
      'b/amp/index.html': `${post(1)}<link rel="canonical" href="${SITE_URL}/b/">`,
    }),
    [proven('/a/'), proven('/b/')],
  );
});

test('og:title names a post’s page, too', (t) => {
  const og = `<meta property="og:title" content="${title(0)}">`;
  t.deepEqual(find(1, { 'a/index.html': `${og}${body(0)}`, 'tags/x/index.html': body(0) }), [proven('/a/')]);
});

test('a post that several pages show alike is not proven', (t) => {
  t.deepEqual(find(1, { 'a/index.html': post(0), 'print/a/index.html': post(0) }), [
    unproven('several pages'),
  ]);
});

test('a post that only lists show is not proven', (t) => {
  const list = `<title>Site</title>${body(0)}${body(1)}`;
  t.deepEqual(find(2, { 'index.html': list }), [unproven('several pages'), unproven('several pages')]);
  t.deepEqual(find(1, { 'index.html': `<title>Site</title><h2>${title(0)}</h2>${body(0)}` }), [
    unproven('several pages'),
  ]);
});

test('a page that shows other posts in full below its own is told by its title', (t) => {
  t.deepEqual(find(2, { 'a/index.html': post(0, body(1)), 'b/index.html': post(1, body(0)) }), [
    proven('/a/'),
    proven('/b/'),
  ]);
});

test('a post whose page is elsewhere under another title moves', (t) => {
  const before = {
    'soil/index.html': body(0),
    'tags/x/index.html': `<title>x</title>${body(0)}`,
    'index.html': `<title>Site</title>${body(0)}`,
  };
  const { 'soil/index.html': _, ...lists } = before;
  t.deepEqual(find(1, before, { 'new/index.html': post(0), ...lists }), [proven('/soil/', true)]);
});

test('a post of which an updated one has no page is not proven', (t) => {
  t.deepEqual(find(1, { 'a/index.html': body(0) }, {}), [unproven('no page')]);
});

test('an address is percent-encoded, and in the form that the site links to', (t) => {
  t.deepEqual(
    find(2, {
      'bücher.html': post(0),
      'b.html': `${post(1)}<link href='/base/b' rel=canonical>`,
      'index.html': '<a href="b%C3%BCcher">x</a><a href="/base/b.html">',
    }),
    [proven('/b%C3%BCcher'), proven('/b')],
  );
});
