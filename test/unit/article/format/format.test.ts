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
function formatWith(over: Partial<ArticleMapping> = {}, records: Record<string, ListedAddress> = {}) {
  const url = (slug: string) => `${SITE}/blog/${slug}/`;
  const listed = { get: (path: string) => records[path], version: 'v' };
  return articleFormat({ mapping: { ...mapping, ...over }, siteUrl: SITE, url, listed });
}

const format = formatWith();
const PATH = 'blog/soil.md';
const MINE = 'blog/mine.md';

/** A format for which the address of MINE is listed, when people wrote this. */
function formatListing(text: string) {
  const digest = addressDigest({ path: MINE, data: dataIn(text) }, mapping);
  return formatWith({}, { [MINE]: { digest, address: '/live/' } });
}

const dataIn = (text: string) => readFrontMatter(text).data;

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

/** The file that people wrote, with another line in its front matter. */
const handWritten = (line: string) => HAND_WRITTEN.replace('custom:', `${line}\ncustom:`);

/** What an update makes of a file. */
function updated(on: typeof format, path: string, text: string, over: Partial<Article> = {}) {
  const stored = on.decode(text, path);
  const { id: _, slug: _slug, url: _url, date: _date, extra: _extra, image: _image, ...content } = article;
  const next = { ...stored.article, ...content, revision: 'r-2', updated: '2026-12-01T08:00:00Z', ...over };
  return on.amend(text, stored, next, path);
}

test('a new file has the keys of the generator, and those of Pressmark below one key', (t) => {
  const { text } = format.encode(article, PATH);
  const { pressmark, ...others } = dataIn(text);
  t.deepEqual(others, {
    title: 'Soil',
    summary: 'What feeds a garden.',
    date: '2026-11-09T08:00:00Z',
    tags: ['posts', 'compost'],
    layout: 'post',
    permalink: '/blog/soil/',
    inert: 'markdown',
  });
  t.is(readFrontMatter(text).body, article.body);
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
    { numRuns: runs(25) },
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
  const { text } = format.encode(html, 'blog/soil.html');
  const stored = format.decode(
    text.replace('---\n<p>Feed it.', '---\n<p>Feed it | twice.'),
    'blog/soil.html',
  );
  t.is(renderedHtml(stored), article.contentHtml.replace('Feed it.', 'Feed it | twice.'));
});

test('a first update of a hand-written file changes the mapped fields and the body, and nothing else', (t) => {
  const on = formatListing(HAND_WRITTEN);
  const { text, article: stored, address } = updated(on, MINE, HAND_WRITTEN);
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
  t.deepEqual([stored.url, stored.revision], [`${SITE}/live/`, 'r-2']);
  t.is(address, undefined, 'the address is pinned, as a title may decide it');
  t.like(on.decode(text, MINE), { edited: false, address: undefined });
});

test('an update is dated where the site shows it, and a file without a date gets none', (t) => {
  const undated = dataIn(updated(formatListing(HAND_WRITTEN), MINE, HAND_WRITTEN).text);
  t.false('date' in undated || 'lastmod' in undated || 'published' in Object(undated.pressmark));
  const at = '2026-12-01T08:00:00Z';
  const dated = updated(format, MINE, handWritten('date: 2026-01-01')).text;
  t.like(dataIn(dated), { date: '2026-01-01', lastmod: at });
  const byName = updated(formatWith({ datesByName: true }), '2026-01-01-mine.md', HAND_WRITTEN).text;
  t.like(dataIn(byName), { lastmod: at });
  const keyless = formatWith({ keys: { ...mapping.keys, updated: null } });
  const { text } = updated(keyless, PATH, keyless.encode(article, PATH).text);
  t.false('lastmod' in dataIn(text));
  t.is(keyless.decode(text, PATH).article.updated, at);
});

test('an update names the author of an article, and leaves that of a post which a person wrote', (t) => {
  const on = formatWith({ keys: { ...mapping.keys, author: 'by.name' } });
  const once = updated(on, MINE, handWritten('by: {name: Olga}')).text;
  for (const text of [once, updated(on, 'blog/renamed.md', once).text])
    t.deepEqual(dataIn(text).by, { name: 'Olga' });
  const { text } = on.encode(article, PATH);
  t.deepEqual(dataIn(updated(on, PATH, text, { author: 'Ben' }).text).by, { name: 'Ben' });
});

test('author, categories and the own URL stand at the keys of the site, before what all articles have there', (t) => {
  const keys = { ...mapping.keys, author: 'authors[]', category: 'categories[]', canonical: 'canonicalURL' };
  const { encode, decode, amend } = formatWith({
    keys,
    constants: { authors: ['staff'], categories: ['Notes'] },
    authors: { 'Ada Lovelace': 'ada' },
    knownAuthorsOnly: true,
    categories: ['Notes', 'Compost', 'Tools'],
  });
  const known = encode(
    { ...article, author: 'ada  Lovelace', tags: ['tools', 'compost', 'rain'] },
    PATH,
  ).text;
  t.like(dataIn(known), {
    authors: ['ada'],
    categories: ['Compost', 'Tools'],
    canonicalURL: article.url,
    tags: ['tools', 'compost', 'rain'],
  });
  t.false('author' in (dataIn(known).pressmark as object));
  t.is(decode(known, PATH).article.author, 'Ada Lovelace');

  const unknown = encode({ ...article, author: 'A guest', tags: [] }, PATH).text;
  t.like(dataIn(unknown), { authors: ['staff'], categories: ['Notes'], pressmark: { author: 'A guest' } });
  const stored = decode(unknown, PATH);
  t.is(stored.article.author, 'A guest');
  const next = { ...stored.article, revision: 'r-2', author: 'Ada Lovelace' };
  t.like(dataIn(amend(unknown, stored, next, PATH).text), { authors: ['ada'], categories: ['Notes'] });

  const nested = { keys: { ...keys, category: 'meta.category' }, constants: { meta: { kind: 'post' } } };
  const { text } = formatWith({ ...nested, categories: ['Compost'] }).encode(article, PATH);
  t.deepEqual(dataIn(text).meta, { kind: 'post', category: 'Compost' });
});

test('what an article has goes before what all articles have, and that before nothing', (t) => {
  const constants = { layout: 'post', title: 'A post', summary: 'Of the garden.', cover: ['usual.jpg'] };
  const dataOf = (over: Partial<Article>) =>
    dataIn(formatWith({ constants }).encode({ ...article, ...over }, PATH).text);
  t.like(dataOf({ image: 'https://images.example/a.jpg' }), {
    layout: 'post',
    title: 'Soil',
    summary: 'What feeds a garden.',
    cover: ['https://images.example/a.jpg'],
  });
  t.like(dataOf({ description: '' }), { summary: 'Of the garden.', cover: ['usual.jpg'] });
});

test('where a text at the key of the tags is a tag in each word, each is one, but not in an alias', (t) => {
  const on = formatWith({ tagsAreWords: true, aliases: { tags: 'tag' }, keptTags: ['featured'] });
  const own = HAND_WRITTEN.replace('tags:\n  - posts\n  - Compost', 'tags: featured soil');
  t.deepEqual(on.decode(own, MINE).article.tags, ['featured', 'soil']);
  t.deepEqual(dataIn(updated(on, MINE, own).text).tags, ['featured', 'compost']);
  t.deepEqual(on.decode(own.replace('tags:', 'tag:'), MINE).article.tags, ['featured soil']);
});

test('a name that the generator reads before the usual one is read and updated, as `tag` in Jekyll', (t) => {
  const aliased = { ...mapping, aliases: { tags: 'tag' } };
  const on = formatWith(aliased);
  const text = handWritten('tag: [old]');
  t.deepEqual(on.decode(text, MINE).article.tags, ['old']);
  t.like(dataIn(updated(on, MINE, text).text), { tag: ['compost'], tags: ['posts', 'Compost'] });
  t.true(on.isOwnKey('tag'));
  const digestOf = (tag: string) => addressDigest({ path: MINE, data: { ...dataIn(text), tag } }, aliased);
  t.is(digestOf('old'), digestOf('new'));
  t.deepEqual(on.decode(handWritten('tag:'), MINE).article.tags, ['Compost']);
});

test('keys are found in the spelling of the file where the generator ignores case', (t) => {
  const on = formatWith({ ignoresKeyCase: true });
  const text = HAND_WRITTEN.replace('title:', 'Title:').replace('tags:', 'TAGS:');
  t.is(on.decode(text, MINE).article.title, 'My soil');
  const amended = updated(on, MINE, text).text;
  t.regex(amended, /\nTitle: "Soil" {3}# short\n[\s\S]*\nTAGS: \["posts", "compost"\]\n/);
  t.notRegex(amended, /^(?:title|tags):/m);
  t.true(on.isOwnKey('Permalink') && !format.isOwnKey('Permalink'));
});

test('holding an article and releasing it leaves a person’s own keys, also with an update in between', (t) => {
  const on = formatWith({ held: { draft: true, permalink: false } });
  const held = on.inState(handWritten('draft: true\npermalink: /own/'), MINE, { held: 'a word' }, 's-1').text;
  t.like(dataIn(held), { draft: true, permalink: false });
  const heldAgain = on.inState(held, MINE, { held: 'by another' }, 's-2').text;
  for (const text of [heldAgain, updated(on, MINE, held).text]) {
    const data = dataIn(on.inState(text, MINE, { held: undefined }, 's-3').text);
    t.like(data, { draft: true, permalink: '/own/' });
    t.false('before_hold' in Object(data.pressmark));
  }
});

test('an address that is neither pinned nor listed is unknown, and the reason says why', (t) => {
  const addressOf = (text: string, on = format) => on.decode(text, MINE).address;
  t.deepEqual(addressOf(HAND_WRITTEN), { kind: 'unknown', reason: 'has no listed URL' });
  const draft = handWritten('draft: true');
  t.deepEqual(addressOf(draft, formatListing(HAND_WRITTEN)), { kind: 'unknown', reason: 'is a draft' });
  t.deepEqual(addressOf(draft, formatListing(draft)), { kind: 'listed' }, 'a site may show it');
  const future = handWritten('date: 2999-01-01');
  t.deepEqual(addressOf(future), { kind: 'unknown', reason: 'has a date in the future', isFuture: true });
  const unpinned = format.encode(article, PATH).text.replace('permalink: "/blog/soil/"\n', '');
  t.deepEqual(addressOf(unpinned), { kind: 'unknown', reason: 'no longer pins its address /blog/soil/' });
});

test('the digest of an address stays when an update replaces its fields, and changes with all else that may decide it', (t) => {
  const facts = { title: 'Soil', date: '2026-01-02', category: ['a', { b: 1 }], permalink: '/x/' };
  const digest = (more: Record<string, unknown> = {}, path = 'a.md') =>
    addressDigest({ path, data: { ...facts, ...more } }, mapping);
  const replaced = { title: 'Other', summary: 'x', lastmod: 'y', tags: ['z'], pressmark: {}, inert: 'html' };
  t.is(digest(replaced), digest());
  const others = [{ date: '2026-01-03' }, { permalink: '/y/' }, { category: ['a', { b: 2 }] }, { slug: 'x' }];
  const digests = [digest(), digest({}, 'b.md'), ...others.map((more) => digest(more))];
  t.is(new Set(digests).size, digests.length);
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
  t.is(dataIn(updated(on, PATH, text, { title: 'Now {' }).text).title, 'Now {_');
});

test('an .mdx file is a program, which is not read', (t) => {
  t.throws(() => format.decode('# Hi', 'blog/mine.mdx'), { message: /is a program/ });
});

test('what the site does not take of a title, a description and tags is cut, also in an update', (t) => {
  const on = formatWith({ limits: { title: 12, description: 8, tags: 2 } });
  const long = { title: 'Where to put 🐝 the hive', description: 'Out of the wind', tags: ['a', 'b', 'c'] };
  const { text } = on.encode({ ...article, ...long }, PATH);
  t.like(dataIn(text), { title: 'Where to pu…', summary: 'Out of …', tags: ['posts', 'a'] });
  const after = dataIn(updated(on, PATH, text, { ...long, title: 'A hive on 🐝🐝' }).text);
  t.like(after, { title: 'A hive on …', summary: 'Out of …', tags: ['posts', 'a'] });
});

test('a description that is too short for the site is completed with the text, also in an update', (t) => {
  const on = formatWith({ limits: { description: 30, descriptionFrom: 10 } });
  const contentHtml =
    '<p>The <b>hive</b> &amp; the <i>wind</i>.</p><pre>{{ x }}</pre>\n<p>And the rain of all these weeks.</p>';
  const { text } = on.encode({ ...article, contentHtml, description: '' }, PATH);
  t.is(dataIn(text).summary, 'The hive & the wind. And the …');
  const after = updated(on, PATH, text, { contentHtml, description: 'Bees.' }).text;
  t.is(dataIn(after).summary, 'Bees. The hive & the wind. An…');
});

test('an earlier version is put back in its stored form', (t) => {
  const { text } = format.encode(article, PATH);
  const html = updated(format, PATH, text, { body: article.contentHtml });
  t.is(dataIn(html.text).inert, 'html');
  const stored = format.decode(html.text, PATH);
  const next = { ...stored.article, body: 'Stored {{</* x */>}} form.\n', revision: 'r-3' };
  const back = format.amend(html.text, stored, next, PATH, 'markdown');
  t.is(dataIn(back.text).inert, 'markdown');
  t.is(back.article.body, 'Stored {{</* x */>}} form.\n');
});

test('own keys stand where the mapping says, and what else stands there is kept', (t) => {
  const on = formatWith({ own: ['extra', 'pressmark'] });
  const { text } = on.encode(article, PATH);
  t.like(on.decode(text, PATH), { edited: false, article: { id: 'art-1' } });
  t.true(on.isOwnKey('extra') && !on.isOwnKey('pressmark'));
  const { text: amended } = updated(on, MINE, '+++\ntitle = "Mine"\n[extra]\nmath = true\n+++\nText.\n');
  t.like(readFrontMatter(amended), { form: 'toml' });
  t.like(dataIn(amended).extra, { math: true, pressmark: { id: MINE, revision: 'r-2' } });
  t.like(on.decode(amended, MINE), { edited: false, article: { revision: 'r-2' } });
});

test('another URL is written into a file, which keeps its revision', (t) => {
  const { text, article: written } = format.encode(article, PATH);
  const moved = format.decode(format.withStoredUrl(text, PATH, 'https://new.example/soil/'), PATH);
  t.false(moved.edited);
  t.deepEqual([moved.article.url, moved.article.revision], ['https://new.example/soil/', written.revision]);
  const edited = format.withStoredUrl(`${text}Mine.\n`, PATH, 'https://new.example/soil/');
  t.true(edited.endsWith('Mine.\n') && format.decode(edited, PATH).edited);
});

test('a file `x`, whatever its extension, and `index` in a folder `x` may be one page', (t) => {
  for (const path of ['2026/x.md', '2026/x/index.md', '2026/x.html']) {
    const others = format.namesakes(path);
    for (const other of ['2026/x.md', '2026/x.html', '2026/x/index.md', '2026/x/index.mdx'])
      t.is(others.includes(other), other !== path, `${other} for ${path}`);
  }
  t.false(format.namesakes('index.md').includes('.md'));
});
