import test from 'ava';
import { isReservedFile, isReservedSlug } from '../../../../src/article/address/reserved.js';
import { asciiSlugOf, numbered, slugOf } from '../../../../src/article/address/slug.js';
import { fc, runs } from '../../../support/property.js';

/** Letters and digits with single hyphens, no uppercase letter, and not a mark without its letter. */
const WORDS = /^[\p{L}\p{Nd}〇][\p{L}\p{M}\p{Nd}〇]*(?:-[\p{L}\p{Nd}〇][\p{L}\p{M}\p{Nd}〇]*)*$/u;
const isSafe = (slug: string) =>
  WORDS.test(slug) &&
  slug === slug.toLowerCase() &&
  slug === slug.normalize('NFC') &&
  [...slug].length <= 80 &&
  Buffer.byteLength(slug) <= 180;
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constantFrom('con', 'index', '..', '/', 'a'.repeat(80), `${'a'.repeat(79)}-b`, 'page-'),
);

test('a slug and each of its numbers are safe and of bounded length; a slug is not reserved, and its own slug', (t) => {
  fc.assert(
    fc.property(anything, anything, fc.integer({ min: 2, max: 100_000 }), (suggestion, title, n) => {
      const slug = slugOf(suggestion, title, 'id');
      t.true(isSafe(slug) && isSafe(numbered(slug, n)), `${slug} ${numbered(slug, n)}`);
      t.false(isReservedSlug(slug));
      t.is(slugOf(slug, '', ''), slug);
      t.not(numbered(slug, n), numbered(slug, n + 1));
    }),
    { numRuns: runs(25) },
  );
});

const EXAMPLES: [suggestion: string, title: string, slug: string][] = [
  ['balcony-bees', '', 'balcony-bees'],
  ['', 'Bees & Trees', 'bees-trees'],
  ['GRÖSSE', '', 'grösse'],
  ['cre\u0300me', '', 'crème'],
  ['知识库', '', '知识库'],
  ['RAG 检索增强生成', '', 'rag-检索增强生成'],
  ['二〇二六年', '', '二〇二六年'],
  ['안녕하세요 세계', '', '안녕하세요-세계'],
  ['שלום עולם', '', 'שלום-עולם'],
  ['צה"ל', '', 'צהל'],
  ['हिन्दी में', '', 'हिन्दी-में'],
  ['می\u200cخواهم', '', 'می-خواهم'],
  ['ＦＵＬＬ width', '', 'full-width'],
  ['İstanbul', '', 'istanbul'],
  ['it’s l’été', '', 'its-lété'],
  ['Bees ❤\ufe0f 🐝', '', 'bees'],
  ['🐝', '养蜂', '养蜂'],
  ['../../etc/passwd', '', 'etc-passwd'],
  ['ＩＮＤＥＸ\u200b', '', 'index-article'],
  ['CON', '', 'con-article'],
  ['语'.repeat(100), '', '语'.repeat(60)],
  [`${'a'.repeat(79)}e\u0301\u0323`, '', `${'a'.repeat(79)}`],
];

test('a slug keeps what people can read of a suggestion, or of the title; nothing is shown of the id', (t) => {
  for (const [suggestion, title, slug] of EXAMPLES) t.is(slugOf(suggestion, title, 'id'), slug);
  const slug = slugOf('😀', '!!!', 'secret-id');
  t.regex(slug, /^article-[0-9a-f]{12}$/);
  t.not(slug, slugOf('😀', '!!!', 'another-id'));
});

test('a number behind a long slug leaves whole letters', (t) => {
  t.is(numbered('语'.repeat(60), 12), `${'语'.repeat(59)}-12`);
  t.is(numbered('a'.repeat(80), 2), `${'a'.repeat(78)}-2`);
});

test('in ASCII, letters are those of the language', (t) => {
  for (const [text, language, slug] of [
    ['Größe', 'de', 'groesse'],
    ['Çiğ köfte', 'tr', 'cig-kofte'],
    ['Привет', 'ru', 'privet'],
    ['RAG 检索', 'zh', 'rag'],
  ] as const)
    t.is(asciiSlugOf(text, '', 'id', language), slug);
  t.is(asciiSlugOf('知识库', 'Knowledge base', 'id', 'zh'), 'knowledge-base');
  t.regex(asciiSlugOf('知识库', '知识', 'id', 'zh'), /^article-[0-9a-f]{12}$/);
});

test('the site’s own files and folders are reserved, at its top alone and without regard to case', (t) => {
  for (const file of 'INDEX.html CNAME/index.html sitemap-12.xml Tags/soil/index.html tags.html'.split(' '))
    t.true(isReservedFile(file), file);
  for (const file of ['a/tags/index.html', 'tagsx/index.html', 'articles/feed.xml/index.html'])
    t.false(isReservedFile(file), file);
});

test('a slug is reserved by the names of these files, by what is customary, and by the devices of Windows', (t) => {
  for (const slug of ['404', 'feed', 'pagefind', 'admin', 'aux', 'com1']) t.true(isReservedSlug(slug), slug);
  for (const slug of ['feeds', 'com', 'tags-article']) t.false(isReservedSlug(slug), slug);
});
