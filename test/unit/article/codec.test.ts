import test from 'ava';
import yaml from 'js-yaml';
import { parse as parseWithYaml } from 'yaml';
import { amend } from '../../../src/article/amend.js';
import { decode, encode } from '../../../src/article/codec.js';
import { fc, runs } from '../../support/property.js';
import { article as anyArticle, extra } from './arbitrary.js';

const fallback = { id: 'none', slug: 'none', url: () => 'https://none.example/' };
const cases = { numRuns: runs(50) };

test('decode(encode(article)) equals article, and nothing counts as edited', (t) => {
  fc.assert(
    fc.property(anyArticle, (article) => {
      const stored = decode(encode(article), fallback);
      t.deepEqual(stored, { article, edited: false, bodyEdited: false, digest: stored.digest });
      t.regex(stored.digest ?? '', /^sha256-/);
    }),
    cases,
  );
});

test('a carriage return before a CRLF is no edit', (t) => {
  const [article] = fc.sample(anyArticle, 1);
  if (article === undefined) return t.fail();
  t.false(decode(encode({ ...article, body: '\r\r\n' }), fallback).edited);
});

test('YAML 1.1 and 1.2 readers agree on every own key', (t) => {
  fc.assert(
    fc.property(anyArticle, (article) => {
      const text = encode({ ...article, extra: {} });
      const front = text.slice(4, text.indexOf('\n---\n', 3) + 1);
      const core = yaml.load(front, { schema: yaml.CORE_SCHEMA });
      t.deepEqual(yaml.load(front), core);
      t.deepEqual(parseWithYaml(front, { version: '1.1' }), core);
      t.deepEqual(parseWithYaml(front, { version: '1.2' }), core);
    }),
    cases,
  );
});

test('an amended file says what the next article says and keeps what a person added besides', (t) => {
  fc.assert(
    fc.property(anyArticle, anyArticle, extra, (article, next, mine) => {
      const previous = encode({ ...article, extra: mine }).replace('\nslug:', '\n# a note of mine\nslug:');
      const stored = decode(previous, fallback);
      const text = amend(previous, stored.article, next);
      const again = decode(text, fallback);
      const { digest } = again;
      const expected = { ...next, extra: { ...mine, ...next.extra } };
      t.deepEqual(again, { article: expected, edited: false, bodyEdited: false, digest });
      t.true(text.includes('# a note of mine'));
    }),
    cases,
  );
});
