import test from 'ava';
import { withAnswer } from '../../../../src/app/init/answers.js';

const frontMatter = (text: string, key?: string) =>
  withAnswer({}, { flag: 'front-matter', ...(key !== undefined && { key }) }, text).frontMatter;

test('a front matter value is read as YAML would read it', (t) => {
  t.deepEqual(frontMatter('layout=post'), { layout: 'post' });
  t.deepEqual(frontMatter('draft=false'), { draft: false });
  t.deepEqual(frontMatter('weight = 3'), { weight: 3 });
  t.deepEqual(frontMatter('code="3"'), { code: '3' });
  t.deepEqual(frontMatter('tags=[posts, notes]'), { tags: ['posts', 'notes'] });
  t.deepEqual(frontMatter('formula=a=b'), { formula: 'a=b' });
  t.deepEqual(frontMatter('empty='), { empty: '' });
  t.deepEqual(frontMatter('day=2026-11-20'), { day: '2026-11-20' });
  t.deepEqual(frontMatter('Jane Doe', 'author'), { author: 'Jane Doe' });
});

test('a front matter answer that cannot be is refused', (t) => {
  for (const text of ['layout', '=post', 'x=[a', 'x=[null]', 'x={a: [1, ~]}'])
    t.throws(() => frontMatter(text), { code: 'USAGE' }, text);
});

test('several answers are collected, and a URL loses its trailing slash', (t) => {
  const first = withAnswer({}, { flag: 'front-matter' }, 'a=1');
  t.deepEqual(withAnswer(first, { flag: 'front-matter', key: 'b' }, '2').frontMatter, { a: 1, b: 2 });
  t.is(withAnswer({}, { flag: 'site-url' }, 'https://a.example/b/').siteUrl, 'https://a.example/b');
});
