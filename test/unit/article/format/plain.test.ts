import test from 'ava';
import type { Article } from '../../../../src/article/article.js';
import { amend, decode, encode } from '../../../support/plain-files.js';
import { fc, runs } from '../../../support/property.js';
import { article as anyArticle, extra } from '../arbitrary.js';

const cases = { numRuns: runs(50) };

test('decode(encode(article)) equals article, and nothing counts as edited', (t) => {
  fc.assert(
    fc.property(anyArticle, (article) => {
      const { text, bytes } = encode(article);
      const stored = decode(text);
      const { digest, publication } = stored;
      t.deepEqual(stored, { article, edited: false, bodyEdited: false, digest, publication });
      t.regex(stored.digest ?? '', /^sha256-/);
      t.is(Buffer.from(bytes).toString(), text);
    }),
    cases,
  );
});

test('the first revision is made of everything else that stands in the file', (t) => {
  fc.assert(
    fc.property(anyArticle, ({ revision: _, ...article }) => {
      const { text, article: first } = encode(article);
      t.deepEqual(decode(text).article, first);
      t.regex(first.revision, /^rev-[0-9a-f]{24}$/);
      t.is(encode(article).text, text);
      t.not(encode({ ...article, body: `${article.body}.` }).article.revision, first.revision);
    }),
    cases,
  );
});

test('line ends as CRLF are no edit, also behind a carriage return', (t) => {
  const [article] = fc.sample(anyArticle, 1);
  if (article === undefined) return t.fail();
  t.false(decode(encode({ ...article, body: '\r\r\n' }).text).edited);
  const { text } = encode({ ...article, body: 'one\r\n\r\ntwo\r\n' });
  t.true(text.endsWith('one\r\n\r\ntwo\r\n'));
  const lf = decode(encode({ ...article, body: 'one\n\ntwo\n' }).text);
  t.is(decode(text).digest, lf.digest);
});

test('an amended file says what the next article says and keeps what a person added besides', (t) => {
  fc.assert(
    fc.property(anyArticle, anyArticle, extra, (article, next, mine) => {
      const { text: first } = encode({ ...article, extra: mine });
      const previous = first.replace('\nslug:', '\n# a note of mine\nslug:');
      const { text } = amend(previous, next);
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

for (const key of ['json_ld', 'content_html']) {
  test(`a comment behind the long block ${key} stays a comment`, (t) => {
    const { text } = encode(article);
    const changed = updated(text.replace(`${key}: |-`, `${key}: |- # mine`));
    t.deepEqual(changed.stored.article, changed.expected);
    t.regex(changed.text, / # mine$/m);
  });
}

test('front matter in braces is taken apart', (t) => {
  const { stored, expected } = updated('---\n{title: "Bees", id: "b", mine: [1, 2]} # hm\n---\nOne.\n');
  t.deepEqual(stored.article, expected);
});

test('in the plain format, the update of a file without a date does not give it one', (t) => {
  const first = updated('---\ntitle: Mine\n# a note\n---\nText.\n').text;
  t.notRegex(first, /^date:/m);
  t.notRegex(updated(first).text, /^date:/m);
  t.notRegex(encode({ ...article, date: '' }).text, /^date:/m);
});

test('a file of a plain site is YAML, with a text wherever one belongs', (t) => {
  for (const text of ['', 'text', '+++\na = 1\n+++\n', '{"a": 1}', '---json\n{}\n---\n'])
    t.throws(() => decode(text), { code: 'FRONT_MATTER_INVALID' }, text);
  for (const [key, value] of [
    ['title', '[a]'],
    ['id', '{e: 1}'],
    ['date', '[2026-11-19]'],
    ['keyword', '\n  - a'],
  ] as const)
    t.throws(() => decode(`---\n${key}: ${value}\n---\n`), {
      code: 'FRONT_MATTER_INVALID',
      message: `line 1: "${key}" must be a text, not a list or a map`,
    });
  const { article } = decode('---\ntitle: 7\ntags: 7\nauthor:\n---\n', 'mine.md');
  t.like(article, { title: '7', tags: ['7'], author: '' });
});
