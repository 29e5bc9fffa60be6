import test from 'ava';
import type { Article } from '../../../../src/article/article.js';
import { amend, decode, encode } from '../../../support/plain-files.js';
import { fc, runs } from '../../../support/property.js';
import { article as anyArticle, extra } from '../arbitrary.js';

const cases = { numRuns: runs(25) };

test('decode(encode(article)) equals article, nothing counts as edited, and a first revision is made of all that stands in the file', (t) => {
  fc.assert(
    fc.property(anyArticle, (article) => {
      const { text } = encode(article);
      const stored = decode(text);
      const { digest, publication } = stored;
      t.deepEqual(stored, { article, edited: false, bodyEdited: false, digest, publication });

      const { revision: _, ...draft } = article;
      const { article: first, text: firstText } = encode(draft);
      t.deepEqual(decode(firstText).article, first);
      t.regex(first.revision, /^rev-[0-9a-f]{24}$/);
      t.not(encode({ ...draft, body: `${article.body}.` }).article.revision, first.revision);
    }),
    cases,
  );
});

test('an amended file says what the next article says and keeps what a person added besides', (t) => {
  fc.assert(
    fc.property(anyArticle, anyArticle, extra, (article, next, mine) => {
      const { text: first } = encode({ ...article, extra: mine });
      const { text } = amend(first.replace('\nslug:', '\n# a note of mine\nslug:'), next);
      const again = decode(text);
      const { digest, publication } = again;
      const expected = { ...next, extra: { ...mine, ...next.extra } };
      t.deepEqual(again, { article: expected, edited: false, bodyEdited: false, digest, publication });
      t.true(text.includes('# a note of mine'));
    }),
    cases,
  );
});

const article: Article = {
  title: 'Bees',
  description: '',
  date: '2026-11-19T08:00:00Z',
  updated: null,
  author: 'Marta Oak',
  tags: ['bees'],
  keyword: '',
  image: null,
  slug: 'bees',
  extra: {},
  id: 'art-1',
  revision: 'rev-1',
  url: 'https://garden.example/bees/',
  jsonLd: '<script>\n{}\n</script>',
  contentHtml: '<p>One.</p>\n<p>Two.</p>',
  body: 'One.\n\nTwo.\n',
};

/** What a file says after an update, which leaves the file's own keys alone. */
function updated(previous: string) {
  const { id, slug, date, url, extra: own } = decode(previous).article;
  const next = {
    ...article,
    id,
    slug,
    date,
    url,
    title: 'Wasps',
    updated: '2026-12-24T10:30:00Z',
    revision: 'r2',
  };
  const { text } = amend(previous, next);
  return { text, stored: decode(text), expected: { ...next, extra: own } };
}

test('a comment behind a long block stays a comment', (t) => {
  const commented = updated(encode(article).text.replace('json_ld: |-', 'json_ld: |- # mine'));
  t.deepEqual(commented.stored.article, commented.expected);
  t.regex(commented.text, / # mine$/m);
});

test('in the plain format, the update of a file without a date does not give it one', (t) => {
  const first = updated('---\ntitle: Mine\n# a note\n---\nText.\n').text;
  t.notRegex(first, /^date:/m);
  t.notRegex(updated(first).text, /^date:/m);
});

test('a file of a plain site is YAML, with a text wherever one belongs', (t) => {
  for (const text of ['text', '+++\na = 1\n+++\n', '---\ntitle: [a]\n---\n', '---\nid: {e: 1}\n---\n'])
    t.throws(() => decode(text), { code: 'FRONT_MATTER_INVALID' }, text);
  const { article } = decode('---\ntitle: 7\ntags: 7\nauthor:\n---\n', 'mine.md');
  t.like(article, { title: '7', tags: ['7'], author: '' });
});
