import test from 'ava';
import type { Article } from '../../../../src/article/article.js';
import { addressDigest } from '../../../../src/article/format/address.js';
import { articleFormat } from '../../../../src/article/format/format.js';
import type { ArticleMapping, ListedAddress } from '../../../../src/article/format/mapping.js';
import { readFrontMatter } from '../../../../src/article/front-matter/read.js';
import { renderedHtml } from '../../../../src/article/stored-article.js';
import { fc, runs } from '../../../support/property.js';
import { article as anyArticle } from '../arbitrary.js';

const SITE = 'https://garden.example/notes';

/** A generator of this test: pins by `permalink`, turns templates off by `inert`. */
const mapping: ArticleMapping = {
  keys: {
    title: 'title',
    description: 'summary',
    date: 'date',
    updated: 'lastmod',
    tags: 'tags',
    image: 'cover[]',
  },
  constants: { layout: 'post', tags: ['posts'] },
  reserved: ['permalink', 'inert'],
  isArticlePath: (path) => /\.(?:md|html)$/.test(path),
  slug: ({ path }) => path.replace(/^.*\/|\.\w+$/g, ''),
  date: (iso) => ({ kind: 'timestamp', text: iso }),
  image: (url) => url,
  tagKey: (tag) => tag.toLowerCase(),
  extension: ({ kind }) => (kind === 'html' ? '.html' : '.md'),
  body: (incoming, path) => ({
    text: incoming.kind === 'html' || path.endsWith('.html') ? incoming.html : incoming.markdown,
    frontMatter: { inert: incoming.kind },
  }),
  pin: (address) => ({ permalink: address }),
  isPinned: ({ data }, address) => data.permalink === address,
  publication: ({ data }) =>
    data.draft === true
      ? { kind: 'draft' }
      : { kind: 'dated', ...(data.date === '2999-01-01' && { from: Date.parse('2999-01-01') }) },
};

/** A format of such a generator with another mapping, for which these addresses are listed. */
function formatWith(
  over: Partial<ArticleMapping> = {},
  records: Readonly<Record<string, ListedAddress>> = {},
) {
  const url = (slug: string) => `${SITE}/blog/${slug}/`;
  const listed = { get: (path: string) => records[path], version: 'v' };
  return articleFormat({ mapping: { ...mapping, ...over }, siteUrl: SITE, url, listed });
}

/** A format for which the address of one file is listed, which people wrote. */
function formatListing(path: string, text: string, address = '/live/') {
  const digest = addressDigest({ path, data: readFrontMatter(text).data }, mapping);
  return formatWith({}, { [path]: { digest, address } });
}

const format = formatWith();
const PATH = 'blog/soil.md';

const article: Omit<Article, 'revision'> = {
  id: 'art-1',
  title: 'Soil',
  description: 'What feeds a garden.',
  date: '2026-11-09T08:00:00Z',
  updated: null,
  author: 'Ada',
  tags: ['compost'],
  keyword: 'soil',
  image: null,
  slug: 'soil',
  extra: {},
  url: `${SITE}/blog/soil/`,
  jsonLd: '<script type="application/ld+json">{}</script>',
  contentHtml: '<p>Feed it.</p>\n<!-- svc:item:art-1 -->',
  body: 'Feed it.\n\n<!-- svc:item:art-1 -->\n',
};

const HAND_WRITTEN = `---
# notes of the owner
title: 'My soil'   # short
custom: {a: 1}
tags:
  - posts
  - Compost
---
Old text.
`;

/** What an update makes of a file. */
function updated(on: typeof format, path: string, text: string, over: Partial<Article> = {}) {
  const stored = on.decode(text, path);
  const { title, description, author, tags, keyword, jsonLd, contentHtml, body } = article;
  const content = { title, description, author, tags, keyword, jsonLd, contentHtml, body };
  const next = {
    ...stored.article,
    ...content,
    revision: 'r-2',
    updated: '2026-12-01T08:00:00Z',
    ...over,
  };
  return on.amend(text, stored, next, path);
}

test('a new file has the keys of the generator, and those of Pressmark below one key', (t) => {
  const { text } = format.encode(article, PATH);
  const { data, body } = readFrontMatter(text);
  const { pressmark, ...others } = data;
  t.deepEqual(others, {
    title: 'Soil',
    summary: 'What feeds a garden.',
    date: '2026-11-09T08:00:00Z',
    tags: ['posts', 'compost'],
    layout: 'post',
    permalink: '/blog/soil/',
    inert: 'markdown',
  });
  t.is(body, article.body);
  t.like(pressmark, { id: 'art-1', author: 'Ada', url: article.url, json_ld: article.jsonLd });
});

test('what is read from a new file is what was written, and nobody has edited it', (t) => {
  fc.assert(
    fc.property(anyArticle, ({ revision: _, ...any }) => {
      const { date, url, slug } = article;
      const draft = { ...any, extra: {}, date, url, slug, updated: null };
      const { text, article: written } = format.encode(draft, PATH);
      const { article: stored, edited, bodyEdited, address } = format.decode(text, PATH);
      const tags = draft.tags.filter((tag) => tag.toLowerCase() !== 'posts');
      t.deepEqual({ ...stored, extra: {} }, { ...written, tags });
      t.false(edited || bodyEdited);
      t.is(address, undefined);
    }),
    { numRuns: runs(50) },
  );
});

test('a checkout with CRLF is not an edit; one character more is, and changes the revision', (t) => {
  const { text, article: written } = format.encode(article, PATH);
  t.is(format.decode(text.replaceAll('\n', '\r\n'), PATH).article.revision, written.revision);
  const edited = format.decode(text.replace('Feed it.\n', 'Feed it!\n'), PATH);
  t.true(edited.edited && edited.bodyEdited);
  t.regex(edited.article.revision, /^edit-/);
});

test('the body of an .html file is what a lookup answers after an edit', (t) => {
  const html = { ...article, body: article.contentHtml };
  t.is(typeof format.extension === 'string' ? '' : format.extension(html), '.html');
  const path = 'blog/soil.html';
  const { text } = format.encode(html, path);
  const stored = format.decode(text.replace('---\n<p>Feed it.', '---\n<p>Feed it | twice.'), path);
  t.is(renderedHtml(stored), article.contentHtml.replace('Feed it.', 'Feed it | twice.'));
});

test('a first update of a hand-written file changes the mapped fields and the body, and nothing else', (t) => {
  const on = formatListing('blog/mine.md', HAND_WRITTEN);
  const { text, article: stored, address } = updated(on, 'blog/mine.md', HAND_WRITTEN);
  const [front = ''] = text.split('\npressmark:');
  t.is(
    front,
    `---
# notes of the owner
title: "Soil"   # short
custom: {a: 1}
tags: ["posts", "compost"]
summary: "What feeds a garden."
permalink: "/live/"
inert: "markdown"`,
  );
  t.is(stored.url, `${SITE}/live/`);
  t.is(stored.revision, 'r-2');
  t.is(address, undefined, 'the address is pinned, as a title may decide it');
  t.is(readFrontMatter(text).data.permalink, '/live/');
  const again = on.decode(text, 'blog/mine.md');
  t.false(again.edited);
  t.is(again.address, undefined);
});

test('an update is dated where the site shows it, and a file without a date gets none', (t) => {
  const dataOf = (on: typeof format, path: string, text: string) =>
    readFrontMatter(updated(on, path, text).text).data;
  const undated = dataOf(formatListing('blog/mine.md', HAND_WRITTEN), 'blog/mine.md', HAND_WRITTEN);
  t.false('date' in undated || 'lastmod' in undated || 'published' in Object(undated.pressmark));
  const at = '2026-12-01T08:00:00Z';
  const dated = HAND_WRITTEN.replace('custom:', 'date: 2026-01-01\ncustom:');
  t.like(dataOf(formatListing('a.md', dated), 'a.md', dated), { date: '2026-01-01', lastmod: at });
  const byName = formatWith({ datesByName: true });
  t.like(dataOf(byName, '2026-01-01-mine.md', HAND_WRITTEN), { lastmod: at });
  const keyless = formatWith({ keys: { ...mapping.keys, updated: null } });
  const { text } = updated(keyless, PATH, keyless.encode(article, PATH).text);
  t.false('lastmod' in readFrontMatter(text).data);
  t.is(keyless.decode(text, PATH).article.updated, at);
});

test('an update names the author of an article, and leaves that of a post which a person wrote', (t) => {
  const on = formatWith({ keys: { ...mapping.keys, author: 'by.name' } });
  const own = HAND_WRITTEN.replace('custom:', 'by: {name: Olga}\ncustom:');
  t.deepEqual(readFrontMatter(updated(on, 'blog/mine.md', own, { author: 'Ada' }).text).data.by, {
    name: 'Olga',
  });
  const again = updated(on, 'blog/mine.md', own, { author: 'Ada' }).text;
  t.deepEqual(readFrontMatter(updated(on, 'blog/renamed.md', again, { author: 'Ada' }).text).data.by, {
    name: 'Olga',
  });
  const { text } = on.encode({ ...article, author: 'Ada' }, PATH);
  t.deepEqual(readFrontMatter(text).data.by, { name: 'Ada' });
  t.is(on.decode(text, PATH).article.author, 'Ada');
  t.deepEqual(readFrontMatter(updated(on, PATH, text, { author: 'Ben' }).text).data.by, { name: 'Ben' });
});

test('author, categories and the own URL stand at the keys of the site, before what all articles have there', (t) => {
  const { encode, decode, amend } = formatWith({
    keys: { ...mapping.keys, author: 'authors[]', category: 'categories[]', canonical: 'canonicalURL' },
    constants: { authors: ['staff'], categories: ['Notes'] },
    authors: { 'Ada Lovelace': 'ada' },
    knownAuthorsOnly: true,
    categories: ['Notes', 'Compost', 'Tools'],
  });
  const dataOf = (text: string) => readFrontMatter(text).data;
  const known = encode(
    { ...article, author: 'ada  Lovelace', tags: ['tools', 'compost', 'rain'] },
    PATH,
  ).text;
  t.like(dataOf(known), {
    authors: ['ada'],
    categories: ['Compost', 'Tools'],
    canonicalURL: article.url,
    tags: ['tools', 'compost', 'rain'],
  });
  t.false('author' in (dataOf(known).pressmark as object));
  t.is(decode(known, PATH).article.author, 'Ada Lovelace');

  const unknown = encode({ ...article, author: 'A guest', tags: [] }, PATH).text;
  t.like(dataOf(unknown), { authors: ['staff'], categories: ['Notes'], pressmark: { author: 'A guest' } });
  const stored = decode(unknown, PATH);
  t.is(stored.article.author, 'A guest');
  t.false(stored.edited);
  const next = { ...stored.article, revision: 'r-2', author: 'Ada Lovelace' };
  const { text } = amend(unknown, stored, next, PATH);
  t.like(dataOf(text), { authors: ['ada'], categories: ['Notes'] });
  t.is(decode(text, PATH).article.author, 'Ada Lovelace');
});

test('what an article has goes before what all articles have, and that before nothing', (t) => {
  const constants = { layout: 'post', title: 'A post', summary: 'Of the garden.', cover: ['usual.jpg'] };
  const dataOf = (over: Partial<Article>) =>
    readFrontMatter(formatWith({ constants }).encode({ ...article, ...over }, PATH).text).data;
  t.like(dataOf({ image: 'https://images.example/a.jpg' }), {
    layout: 'post',
    title: 'Soil',
    summary: 'What feeds a garden.',
    cover: ['https://images.example/a.jpg'],
  });
  t.like(dataOf({ description: '' }), { summary: 'Of the garden.', cover: ['usual.jpg'] });
});

test('a category stands where its path leads', (t) => {
  const dataOf = (category: string) => {
    const on = formatWith({
      keys: { ...mapping.keys, category },
      constants: { meta: { kind: 'post' } },
      categories: ['Soil', 'Tools'],
    });
    return readFrontMatter(on.encode({ ...article, tags: ['soil', 'tools'] }, PATH).text).data;
  };
  t.deepEqual(dataOf('meta.category').meta, { kind: 'post', category: 'Soil' });
  t.deepEqual(dataOf('taxonomies.categories[]').taxonomies, { categories: ['Soil', 'Tools'] });
});

test('where a text at the key of the tags is a tag in each word, each is one, but not in an alias', (t) => {
  const on = formatWith({ tagsAreWords: true, aliases: { tags: 'tag' }, keptTags: ['featured'] });
  const own = HAND_WRITTEN.replace('tags:\n  - posts\n  - Compost', 'tags: featured soil');
  t.deepEqual(on.decode(own, 'blog/mine.md').article.tags, ['featured', 'soil']);
  t.deepEqual(readFrontMatter(updated(on, 'blog/mine.md', own).text).data.tags, ['featured', 'compost']);
  const alias = own.replace('tags:', 'tag:');
  t.deepEqual(on.decode(alias, 'blog/mine.md').article.tags, ['featured soil']);
});

test('holding an article and releasing it leaves a person’s own keys, also with an update in between', (t) => {
  const on = formatWith({ held: { draft: true, permalink: false } });
  const own = HAND_WRITTEN.replace('custom:', 'draft: true\npermalink: /own/\ncustom:');
  const held = on.inState(own, 'blog/mine.md', { held: 'by a person' }, 's-1').text;
  t.like(readFrontMatter(held).data, { draft: true, permalink: false });
  const heldAgain = on.inState(held, 'blog/mine.md', { held: 'by another' }, 's-2').text;
  for (const text of [held, heldAgain, updated(on, 'blog/mine.md', held).text]) {
    const { data } = readFrontMatter(on.inState(text, 'blog/mine.md', { held: undefined }, 's-3').text);
    t.like(data, { draft: true, permalink: '/own/' });
    t.false('before_hold' in Object(data.pressmark));
  }
});

test('an address that is neither pinned nor listed is unknown, and the reason says why', (t) => {
  const reasonOf = (text: string, path = 'blog/mine.md') => format.decode(text, path).address;
  t.deepEqual(reasonOf(HAND_WRITTEN), { kind: 'unknown', reason: 'has no listed URL' });
  const draft = HAND_WRITTEN.replace('custom:', 'draft: true\ncustom:');
  t.deepEqual(formatListing('a.md', HAND_WRITTEN).decode(draft, 'a.md').address, {
    kind: 'unknown',
    reason: 'is a draft',
  });
  const shown = formatListing('a.md', draft).decode(draft, 'a.md').address;
  t.deepEqual(shown, { kind: 'listed' }, 'a site may show it');
  const future = HAND_WRITTEN.replace('custom:', 'date: 2999-01-01\ncustom:');
  t.deepEqual(reasonOf(future), { kind: 'unknown', reason: 'has a date in the future', isFuture: true });
  const { text } = format.encode(article, PATH);
  t.deepEqual(reasonOf(text.replace('permalink: "/blog/soil/"\n', ''), PATH), {
    kind: 'unknown',
    reason: 'does not pin its address /blog/soil/ any more',
  });
});

test('a listed address counts only while what the address depends on is as it was', (t) => {
  const on = formatListing('blog/mine.md', HAND_WRITTEN);
  const kindAfter = (edit: (text: string) => string) =>
    on.decode(edit(HAND_WRITTEN), 'blog/mine.md').address?.kind;
  t.is(
    kindAfter((text) => `${text}More.\n`),
    'listed',
  );
  t.is(
    kindAfter((text) => text.replace('My soil', 'Our soil')),
    'listed',
  );
  t.is(
    kindAfter((text) => text.replace('custom:', 'category: x\ncustom:')),
    'unknown',
  );
});

test('a text that the generator would run is written in another form, and read as it was sent', (t) => {
  const on = formatWith({
    writtenText: (sent) => sent.replaceAll('{', '{_'),
    sentText: (written) => written.replaceAll('{_', '{'),
  });
  const hostile = { title: '{{ x }}', tags: ['{'], jsonLd: '{ld}', contentHtml: '{html}' };
  const { text } = on.encode({ ...article, ...hostile }, PATH);
  t.regex(text, /^title: "\{_\{_ x \}\}"$/m);
  t.like(on.decode(text, PATH).article, hostile);
  const { data } = readFrontMatter(updated(on, PATH, text, { title: 'Now {' }).text);
  t.is(data.title, 'Now {_');
});

test('keys are found in the spelling of the file where the generator ignores case', (t) => {
  const on = formatWith({ ignoresKeyCase: true });
  const text = HAND_WRITTEN.replace('title:', 'Title:').replace('tags:', 'TAGS:');
  t.is(on.decode(text, 'blog/mine.md').article.title, 'My soil');
  const amended = updated(on, 'blog/mine.md', text).text;
  t.true(
    amended.includes('\nTitle: "Soil"   # short\n') && amended.includes('\nTAGS: ["posts", "compost"]\n'),
  );
  t.false(/^(?:title|tags):/m.test(amended));
  t.true(on.isOwnKey('Permalink') && !format.isOwnKey('Permalink'));
});

test('a name that the generator reads before the usual one is read and updated, as `tag` in Jekyll', (t) => {
  const aliased = { ...mapping, aliases: { tags: 'tag' } };
  const on = formatWith(aliased);
  const text = HAND_WRITTEN.replace('title:', 'tag: [old]\ntitle:');
  t.deepEqual(on.decode(text, 'blog/mine.md').article.tags, ['old']);
  const { data } = readFrontMatter(updated(on, 'blog/mine.md', text).text);
  const before = readFrontMatter(text).data;
  t.deepEqual([data.tag, data.tags], [['compost'], before.tags]);
  t.true(on.isOwnKey('tag'));
  t.deepEqual(
    addressDigest({ path: 'blog/mine.md', data: before }, aliased),
    addressDigest({ path: 'blog/mine.md', data: { ...before, tag: ['new'] } }, aliased),
  );
  const empty = on.decode(HAND_WRITTEN.replace('title:', 'tag:\ntitle:'), 'blog/mine.md').article;
  t.deepEqual(empty.tags, on.decode(HAND_WRITTEN, 'blog/mine.md').article.tags);
});

test('an .mdx file is a program, which is not read', (t) => {
  t.throws(() => format.decode('# Hi', 'blog/mine.mdx'), { message: /is a program/ });
});

test('what the site does not take of a title, a description and tags is cut, also in an update', (t) => {
  const limits = { title: 12, description: 8, tags: 2 };
  const { encode, amend, decode } = formatWith({ limits });
  const long = { title: 'Where to put 🐝 the hive', description: 'Out of the wind', tags: ['a', 'b', 'c'] };
  const { text } = encode({ ...article, ...long }, PATH);
  t.like(readFrontMatter(text).data, {
    title: 'Where to pu…',
    summary: 'Out of …',
    tags: ['posts', 'a'],
  });
  const stored = decode(text, PATH);
  const title = 'A hive on 🐝🐝';
  const next = { ...stored.article, ...long, title, revision: 'r2' };
  const { data } = readFrontMatter(amend(text, stored, next, PATH).text);
  t.like(data, { title: 'A hive on …', summary: 'Out of …', tags: ['posts', 'a'] });
});

test('a description that is too short for the site is completed with the text, also in an update', (t) => {
  const { encode, amend, decode } = formatWith({ limits: { description: 30, descriptionFrom: 10 } });
  const contentHtml = '<p>The hive &amp; the wind.</p>\n<p>And the rain of all these weeks.</p>';
  const { text } = encode({ ...article, contentHtml, description: '' }, PATH);
  t.is(readFrontMatter(text).data.summary, 'The hive & the wind. And the …');
  const next = { ...decode(text, PATH).article, contentHtml, description: 'Bees.', revision: 'r2' };
  const { data } = readFrontMatter(amend(text, decode(text, PATH), next, PATH).text);
  t.is(data.summary, 'Bees. The hive & the wind. An…');
  t.is(
    readFrontMatter(encode({ ...article, description: 'Out of the wind' }, PATH).text).data.summary,
    'Out of the wind',
  );
});

test('an earlier version is put back in its stored form', (t) => {
  const { text } = format.encode(article, PATH);
  const html = updated(format, PATH, text, { body: article.contentHtml });
  t.is(readFrontMatter(html.text).data.inert, 'html');
  const stored = format.decode(html.text, PATH);
  const next = { ...stored.article, body: 'Stored {{</* x */>}} form.\n', revision: 'r-3' };
  const back = format.amend(html.text, stored, next, PATH, 'markdown');
  t.is(readFrontMatter(back.text).data.inert, 'markdown');
  t.is(back.article.body, 'Stored {{</* x */>}} form.\n');
  t.is(format.decode(back.text, PATH).bodyKind, undefined);
});

test('own keys stand where the mapping says, and what else stands there is kept', (t) => {
  const on = formatWith({ own: ['extra', 'pressmark'] });
  const { text, article: written } = on.encode(article, PATH);
  t.like(readFrontMatter(text).data.extra, { pressmark: { id: 'art-1' } });
  t.like(on.decode(text, PATH), { edited: false, article: { id: 'art-1', revision: written.revision } });
  t.true(on.isOwnKey('extra') && !on.isOwnKey('pressmark'));
  const toml = '+++\ntitle = "Mine"\n[extra]\nmath = true\n+++\nText.\n';
  const { text: amended } = updated(on, 'blog/mine.md', toml);
  const { form, data } = readFrontMatter(amended);
  t.is(form, 'toml');
  t.like(data.extra, { math: true, pressmark: { id: 'blog/mine.md', revision: 'r-2' } });
  const after = on.decode(amended, 'blog/mine.md');
  t.false(after.edited);
  t.is(after.article.revision, 'r-2');
});

test('another URL is written into a file, which keeps its revision', (t) => {
  const { text, article: written } = format.encode(article, PATH);
  const moved = format.decode(format.withStoredUrl(text, PATH, 'https://new.example/soil/'), PATH);
  t.false(moved.edited);
  t.deepEqual([moved.article.url, moved.article.revision], ['https://new.example/soil/', written.revision]);
  const edited = format.withStoredUrl(`${text}Mine.\n`, PATH, 'https://new.example/soil/');
  t.true(edited.endsWith('Mine.\n') && format.decode(edited, PATH).edited);
});

const facts = { title: 'Soil', date: '2026-01-02', category: ['a', { b: 1 }], permalink: '/x/' };
const digest = (more: Record<string, unknown> = {}, path = 'a.md') =>
  addressDigest({ path, data: { ...facts, ...more } }, mapping);

test('the digest of an address stays when an update replaces its fields', (t) => {
  const after = {
    title: 'Other',
    summary: 'x',
    lastmod: 'y',
    tags: ['z'],
    pressmark: { id: '1' },
    inert: 'html',
  };
  t.is(digest(after), digest());
});

test('the digest of an address changes with the path, the date, and the owner’s keys', (t) => {
  const digests = [
    digest(),
    digest({}, 'b.md'),
    digest({ date: '2026-01-03' }),
    digest({ permalink: '/y/' }),
    digest({ category: ['a', { b: 2 }] }),
    digest({ slug: 'x' }),
  ];
  t.is(new Set(digests).size, digests.length);
});
