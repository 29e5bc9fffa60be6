import test from 'ava';
import { type ArticleFormat, articleFormat } from '../../../src/article/format/format.js';
import { plainFormat } from '../../../src/article/format/plain.js';
import { stateAt } from '../../../src/article/publication.js';
import { generatorNamed } from '../../../src/generators/registry.js';
import { SOIL } from './definitions.js';

// By which key a generator leaves a post out is in definitions.test.ts; the rest is the same for all of them.

const NOW = Date.parse('2026-06-01T00:00:00Z');
const PATH = 'soil.md';

const url = (slug: string) => `https://garden.example/blog/${slug}/`;
const formats: readonly [name: string, format: ArticleFormat][] = [
  ['plain', plainFormat(url)],
  [
    'eleventy',
    articleFormat({
      mapping: generatorNamed('eleventy').mapping({
        body: 'markdown',
        constants: {},
        address: (slug) => `/blog/${slug}/`,
        dates: 'day',
      }),
      siteUrl: 'https://garden.example',
      url,
      listed: { get: () => undefined, version: '' },
    }),
  ],
];

const withoutSeal = (text: string) => text.replace(/^(\s*)(revision|digest): .*$/gm, '$1$2: …');

for (const [name, format] of formats) {
  test(`${name}: a file that is held, expires or gets another date keeps its text, a person’s edit stays one, and a release brings all back but the revision`, (t) => {
    const { text } = format.encode(SOIL, PATH);
    const held = format.inState(text, PATH, { held: 'a listed word' }, 'state-1');
    t.is(stateAt(held.publication, NOW), 'held');
    t.like(held.article, { revision: 'state-1', url: SOIL.url });
    t.false(format.decode(held.text, PATH).edited);
    const released = format.inState(held.text, PATH, { held: undefined }, 'state-2');
    t.is(stateAt(released.publication, NOW), 'live');
    t.is(withoutSeal(released.text), withoutSeal(text));

    const edited = `${text}\nMy own line.\n`;
    const heldEdit = format.inState(edited, PATH, { held: 'a listed word' }, 'state-1').text;
    const stored = format.decode(heldEdit, PATH);
    t.true(stored.edited);
    t.true(stored.article.body.endsWith('My own line.\n'));
    t.is(stateAt(stored.publication, NOW), 'held');
    t.is(format.inState(heldEdit, PATH, { held: undefined }, 'state-2').text, edited);

    const expires = '2026-05-01T18:00:00Z';
    const expired = format.inState(text, PATH, { held: undefined, expires }, 'state-1');
    t.is(stateAt(expired.publication, Date.parse(expires)), 'expired');
    t.is(stateAt(expired.publication, Date.parse(expires) - 1), 'live');
    const back = format.inState(expired.text, PATH, { held: undefined, expires: null }, 'state-2');
    t.is(withoutSeal(back.text), withoutSeal(text));
    const later = format.inState(text, PATH, { held: undefined, date: '2026-07-01T08:00:00Z' }, 'state-3');
    t.is(stateAt(later.publication, NOW), 'scheduled');
    t.is(later.article.body, format.decode(text, PATH).article.body);
  });
}
