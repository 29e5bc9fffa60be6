import test from 'ava';
import { decode, encode, encodeFirst } from '../../../src/article/codec.js';
import { fileText } from '../../../src/article/file-text.js';
import { fc, runs } from '../../support/property.js';
import { article as anyArticle } from './arbitrary.js';

const fallback = { id: 'none', slug: 'none', url: () => 'https://none.example/' };
const cases = { numRuns: runs(50) };

test('the bytes are the text in UTF-8', (t) => {
  fc.assert(
    fc.property(anyArticle, ({ revision, ...article }) => {
      const { text, bytes, article: first } = encodeFirst(article);
      t.is(Buffer.from(bytes).toString(), text);
      t.is(text, encode(first));
      const again = fileText(article, revision);
      t.is(Buffer.from(again.bytes).toString(), encode({ revision, ...article }));
    }),
    cases,
  );
});

test('nothing is cut off where everything takes three bytes, and a long revision six', (t) => {
  const [article] = fc.sample(anyArticle, 1);
  if (article === undefined) return t.fail();
  const long = '\u4e00'.repeat(2_000);
  const wide = { ...article, title: long, url: `https://example.com/${long}`, contentHtml: long, body: long };
  const revision = '\u0085'.repeat(2_000);
  const { text, bytes } = fileText(wide, revision);
  t.is(Buffer.from(bytes).toString(), text);
  const { article: read, edited } = decode(text, fallback);
  t.deepEqual([read, edited], [{ ...wide, revision }, false]);
});

test('a body with CRLF keeps its line ends in the bytes, and digests as with LF', (t) => {
  const [article] = fc.sample(anyArticle, 1);
  if (article === undefined) return t.fail();
  const digestIn = (text: string) => /^digest: "(.*)"$/m.exec(text)?.[1];
  const crlf = encodeFirst({ ...article, body: 'one\r\n\r\ntwo\r\n' });
  t.is(Buffer.from(crlf.bytes).toString(), crlf.text);
  t.true(crlf.text.endsWith('one\r\n\r\ntwo\r\n'));
  t.is(digestIn(crlf.text), digestIn(encodeFirst({ ...article, body: 'one\n\ntwo\n' }).text));
});
