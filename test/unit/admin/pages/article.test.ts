import test from 'ava';
import { differenceOf } from '../../../../src/admin/pages/article.js';

const fields = (body: string) => ({ title: 'T', description: '', tags: [], author: '', image: null, body });
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('article differences: texts of which much differs, or that are long, are shown whole, one after the other', (t) => {
  for (const [old, now] of [
    [lines(3_000, (n) => (n % 2 ? 'same' : `old ${n}`)), lines(3_000, (n) => (n % 2 ? 'same' : `new ${n}`))],
    [lines(6_000, (n) => `line ${n}`), lines(6_000, (n) => `line ${n || 'new'}`)],
  ] as const) {
    const pieces = differenceOf(fields(old), fields(now));
    t.deepEqual(
      pieces.map(({ kind }) => kind),
      ['old', 'new'],
    );
    t.true(pieces[0]?.text.includes(old) && pieces[1]?.text.includes(now));
  }
});

test('article differences: a few lines are shown as they differ', (t) => {
  const pieces = differenceOf(fields('one\ntwo\nthree'), fields('one\n2\nthree'));
  t.deepEqual(
    pieces.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'old', text: 'two\n' },
      { kind: 'new', text: '2\n' },
    ],
  );
});
