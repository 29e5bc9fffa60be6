import test from 'ava';
import { encode } from '../../../src/article/codec.js';
import { splitFrontMatter } from '../../../src/article/front-matter/read.js';
import { readOwnForm, readOwnTop } from '../../../src/article/own-form.js';
import { fc, runs } from '../../support/property.js';
import { article as anyArticle, text as anyText } from './arbitrary.js';

/** Front matter of the owner's and of plugins. */
const EXTRA = { reading_minutes: 7, series: 'Soil', draft: false, layout: 'landing', hero: { alt: 'A bed' } };

const cases = { numRuns: runs(200) };

/** Plain words at random places leave most files in the own form; hostile pieces leave few. */
const edit = fc.record({
  at: fc.integer({ min: 0, max: 9_999 }),
  cut: fc.oneof(fc.constant(0), fc.nat(6)),
  put: fc.oneof({ arbitrary: fc.constantFrom('a', 'word', ' two words', 'é', '1'), weight: 3 }, anyText),
});

test('the quick reader gives what the YAML reader gives, whatever was done to the file', (t) => {
  let [edited, editedTops] = [0, 0];
  fc.assert(
    fc.property(anyArticle, fc.array(edit, { maxLength: 3 }), (article, edits) => {
      let text = encode({ ...article, extra: EXTRA });
      for (const { at, cut, put } of edits) {
        const position = Math.floor((at / 10_000) * text.length);
        text = text.slice(0, position) + put + text.slice(position + cut);
      }
      const read = readOwnForm(text);
      if (read === undefined) return;
      if (edits.length > 0) edited++;
      const { isTopFirst, ...quickly } = read;
      t.deepEqual(quickly, splitFrontMatter(text));
      const top = readOwnTop(text);
      if (top === undefined || !isTopFirst) return;
      if (edits.length > 0) editedTops++;
      const { json_ld, content_html, ...rest } = quickly.data;
      t.deepEqual(top, rest);
    }),
    cases,
  );
  // A reader that leaves all edited files to the other one would prove nothing.
  t.true(Math.min(edited, editedTops) > cases.numRuns / 20, `${edited} edited files were read quickly`);
});

test('what Pressmark writes is read quickly, and what a person writes is left to the YAML reader', (t) => {
  fc.assert(
    fc.property(anyArticle, (article) => {
      const text = encode({ ...article, extra: EXTRA });
      t.true(readOwnForm(text)?.isTopFirst);
      t.not(readOwnTop(text.slice(0, text.indexOf('\njson_ld: ') + 12)), undefined);
    }),
    cases,
  );
  for (const text of [
    '',
    '---',
    'no front matter',
    '---\ntitle: plain\n---\n',
    "---\ntitle: 'single'\n---\n",
    '---\ntitle: "a" # a comment\n---\n',
    '---\r\ntitle: "a"\r\n---\r\n',
    '---\ntitle: "a"\ntitle: "b"\n---\n',
    '---\nmine: [1, {a: 2}]\n---\n',
    '---\ntitle: |2\n  a\n---\n',
    '---\ntitle: |\n   a\n  b\n---\n',
    '---\ntitle: |\n  a\n\n---\n',
    '---\ntags: [1]\n---\n',
    '--- \ntitle: "a"\n---\n',
    '---\ntitle: "a"\n---js\n',
  ])
    t.is(readOwnForm(text), undefined, text);
});
