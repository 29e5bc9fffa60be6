import test from 'ava';
import { isReservedSlug } from '../../../../src/article/address/reserved.js';
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
  fc.constantFrom('con', 'index', '..', '/', 'tags', 'a'.repeat(80), `${'a'.repeat(79)}-b`, 'page-', 'lpt1'),
);

const cases = { numRuns: runs(50) };

test('a slug is always safe, of bounded length, not reserved, and the same each time', (t) => {
  fc.assert(
    fc.property(anything, anything, anything, (suggestion, title, id) => {
      const slug = slugOf(suggestion, title, id);
      t.true(isSafe(slug), slug);
      t.false(isReservedSlug(slug));
      t.is(slugOf(suggestion, title, id), slug);
      t.is(slugOf(slug, '', ''), slug, 'a slug is its own slug');
    }),
    cases,
  );
});

test('numbers keep a slug safe and are all different', (t) => {
  fc.assert(
    fc.property(
      anything,
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      (text, n, m) => {
        const slug = slugOf(text, '', 'x');
        t.true(isSafe(numbered(slug, n)), numbered(slug, n));
        if (n !== m) t.not(numbered(slug, n), numbered(slug, m));
      },
    ),
    cases,
  );
});

const EXAMPLES: [suggestion: string, title: string, slug: string][] = [
  ['balcony-bees', '', 'balcony-bees'],
  ['Balcony Bees!', '', 'balcony-bees'],
  ['', 'Bees & Trees', 'bees-trees'],
  ['größe', '', 'größe'],
  ['GRÖSSE', '', 'grösse'],
  ['Crème brûlée', '', 'crème-brûlée'],
  ['cre\u0300me', '', 'crème'],
  ['Привет', '', 'привет'],
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
  ['..／..／etc', '', 'etc'],
  ['index', '', 'index-article'],
  ['ＩＮＤＥＸ\u200b', '', 'index-article'],
  ['İNDEX', '', 'index-article'],
  ['CON', '', 'con-article'],
  ['pagefind', '', 'pagefind-article'],
  ['CNAME', '', 'cname-article'],
  ['fooBar', '', 'foobar'],
  ['语'.repeat(100), '', '语'.repeat(60)],
  [`${'a'.repeat(79)}e\u0301\u0323`, '', `${'a'.repeat(79)}`],
];

for (const [suggestion, title, slug] of EXAMPLES) {
  test(`${JSON.stringify(suggestion || title)} becomes ${slug}`, (t) => {
    t.is(slugOf(suggestion, title, 'id'), slug);
  });
}

test('where nothing is left, the id names the article without being shown', (t) => {
  const slug = slugOf('😀', '!!!', 'secret-id');
  t.regex(slug, /^article-[0-9a-f]{12}$/);
  t.not(slug, slugOf('😀', '!!!', 'another-id'));
});

test('a number behind a long slug leaves whole letters', (t) => {
  t.is(numbered('语'.repeat(60), 12), `${'语'.repeat(59)}-12`);
  t.is(numbered('a'.repeat(80), 2), `${'a'.repeat(78)}-2`);
});

const ASCII: [text: string, language: string, slug: string][] = [
  ['Größe', 'de', 'groesse'],
  ['Größe', 'en', 'groesse'],
  ['Çiğ köfte', 'tr', 'cig-kofte'],
  ['Smörgås', 'sv', 'smorgas'],
  ['Crème brûlée', 'fr', 'creme-brulee'],
  ['Привет', 'ru', 'privet'],
  ['RAG 检索', 'zh', 'rag'],
  ['Tags', 'en', 'tags-article'],
];

test('in ASCII, letters are those of the language', (t) => {
  for (const [text, language, slug] of ASCII) t.is(asciiSlugOf(text, '', 'id', language), slug);
  t.is(asciiSlugOf('知识库', 'Knowledge base', 'id', 'zh'), 'knowledge-base');
  t.regex(asciiSlugOf('知识库', '知识', 'id', 'zh'), /^article-[0-9a-f]{12}$/);
});
