import test from 'ava';
import { compared } from '../../../../src/app/articles/compare-articles.js';

const fields = (body: string) => ({ title: 'T', description: '', tags: [], author: '', image: null, body });
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('article differences: texts of which much differs, or that are long, are shown whole, one after the other', (t) => {
  for (const [old, now] of [
    [lines(3_000, (n) => (n % 2 ? 'same' : `old ${n}`)), lines(3_000, (n) => (n % 2 ? 'same' : `new ${n}`))],
    [lines(6_000, (n) => `line ${n}`), lines(6_000, (n) => `line ${n || 'new'}`)],
  ] as const) {
    const { isByLine, pieces } = compared(fields(old), fields(now));
    t.false(isByLine);
    t.deepEqual(
      pieces.map(({ kind }) => kind),
      ['old', 'new'],
    );
    t.true(pieces[0]?.html.includes(old) && pieces[1]?.html.includes(now));
  }
});

test('article differences: a few lines are shown as they differ', (t) => {
  const { isByLine, pieces } = compared(fields('one\ntwo <b>\nthree'), fields('one\n2\nthree'));
  t.true(isByLine);
  t.deepEqual(
    pieces.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'old', html: 'two &lt;b&gt;\n' },
      { kind: 'new', html: '2\n' },
    ],
  );
});
