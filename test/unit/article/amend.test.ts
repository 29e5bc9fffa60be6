import test from 'ava';
import { amend } from '../../../src/article/amend.js';
import type { Article } from '../../../src/article/article.js';
import { decode, encode } from '../../../src/article/codec.js';

const fallback = { id: 'none', slug: 'none', url: () => 'https://none.example/' };

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
  const stored = decode(previous, fallback).article;
  const { id, slug, date, url, extra } = stored;
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
  const text = amend(previous, stored, next);
  return { text, stored: decode(text, fallback), expected: { ...next, extra } };
}

for (const key of ['json_ld', 'content_html']) {
  test(`a comment behind the long block ${key} stays a comment`, (t) => {
    const { text, stored, expected } = updated(encode(article).replace(`${key}: |-`, `${key}: |- # mine`));
    t.deepEqual(stored.article, expected);
    t.regex(text, /^ *# mine$/m);
  });
}

test('front matter in braces is taken apart', (t) => {
  const { stored, expected } = updated('---\n{title: "Bees", id: "b", mine: [1, 2]} # hm\n---\nOne.\n');
  t.deepEqual(stored.article, expected);
});

test('a line separator in an unquoted value of a person’s own survives', (t) => {
  const { stored, expected } = updated('---\ntitle: Bees\nid: b\nmine: one\u2028two\n---\nOne.\n');
  t.deepEqual(stored.article, expected);
});

test('YAML that cannot be rewritten with its comments is refused, naming the line', (t) => {
  const previous = '---\ntitle: Bees\ntags: [a, # one\nb]\n---\nOne.\n';
  t.throws(() => updated(previous), { code: 'ARTICLE_UNREADABLE', message: /line 4: / });
});

test('the update of a file without a date does not give it one', (t) => {
  const first = updated('---\ntitle: Mine\n# a note\n---\nText.\n').text;
  t.notRegex(first, /^date:/m);
  t.notRegex(updated(first).text, /^date:/m);
  t.notRegex(encode({ ...article, date: '' }), /^date:/m);
});
