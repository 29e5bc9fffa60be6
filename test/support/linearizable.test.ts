import test from 'ava';
import { notLinearizable, type Operation } from './linearizable.js';

const at = (from: number, to: number, did: Operation['did']): Operation => ({ article: 'a', from, to, did });
const published = (from: number, to: number) => at(from, to, { event: 'publish', result: 'ok' });
const looked = (from: number, to: number, revision: string) =>
  at(from, to, { event: 'lookup', result: { revision } });
const missed = (from: number, to: number) => at(from, to, { event: 'lookup', result: 'missing' });
const updated = (
  from: number,
  to: number,
  base: string,
  revision: string,
  result: 'ok' | 'conflict' | 'missing' | 'unknown' = 'ok',
) => at(from, to, { event: 'update', base, revision, result });

const fine: Record<string, Operation[]> = {
  'nothing at all': [],
  'one after the other': [published(0, 1), looked(2, 3, 'r0'), updated(4, 5, 'r0', 'r1'), looked(6, 7, 'r1')],
  'a lookup during a publication may find the article or not': [
    published(0, 10),
    missed(1, 2),
    looked(3, 4, 'r0'),
  ],
  'one of two competing updates is stored': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 8, 'r0', 'r1'),
    updated(4, 9, 'r0', 'r2', 'conflict'),
    looked(10, 11, 'r1'),
  ],
  'a repeated update is acknowledged again': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 5, 'r0', 'r1'),
    updated(6, 7, 'r0', 'r1'),
  ],
  'an update without an answer may take effect late': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, Number.POSITIVE_INFINITY, 'r0', 'r1', 'unknown'),
    looked(5, 6, 'r0'),
    looked(7, 8, 'r1'),
  ],
  'an update without an answer may never take effect': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, Number.POSITIVE_INFINITY, 'r0', 'r1', 'unknown'),
    looked(50, 60, 'r0'),
  ],
};

const wrong: Record<string, Operation[]> = {
  'an article that was acknowledged is not found': [published(0, 1), missed(2, 3)],
  'an article is found that nobody has published': [looked(0, 1, 'r0')],
  'a stale lookup after an update': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 5, 'r0', 'r1'),
    looked(6, 7, 'r0'),
  ],
  'a lookup that finds an older revision than an earlier lookup': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 20, 'r0', 'r1'),
    looked(5, 6, 'r1'),
    looked(7, 8, 'r0'),
  ],
  'two updates of one base are acknowledged': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 8, 'r0', 'r1'),
    updated(4, 9, 'r0', 'r2'),
  ],
  'a conflict without a competing update': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 5, 'r0', 'r1', 'conflict'),
  ],
  'an update that was acknowledged and lost': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 5, 'r0', 'r1'),
    updated(6, 7, 'r0', 'r2'),
  ],
  'a conflict with an update that has not begun': [
    published(0, 1),
    looked(2, 3, 'r0'),
    updated(4, 5, 'r0', 'r1', 'conflict'),
    updated(6, 7, 'r0', 'r2'),
  ],
  'an update without an answer takes effect before it was sent': [
    published(0, 1),
    looked(2, 3, 'r0'),
    looked(4, 5, 'r1'),
    updated(6, Number.POSITIVE_INFINITY, 'r0', 'r1', 'unknown'),
  ],
  'two articles under one id': [published(0, 1), looked(2, 3, 'r0'), looked(4, 5, 'other')],
};

for (const [what, history] of Object.entries(fine))
  test(`a right history: ${what}`, (t) => t.deepEqual(notLinearizable(history), []));

for (const [what, history] of Object.entries(wrong))
  test(`a wrong history: ${what}`, (t) => t.deepEqual(notLinearizable(history), ['a']));

test('each article is checked on its own', (t) => {
  const history = [
    published(0, 1),
    { ...missed(2, 3), article: 'b' },
    { ...looked(4, 5, 'r'), article: 'c' },
  ];
  t.deepEqual(notLinearizable(history), ['c']);
});

test('a long history with many concurrent updates is checked quickly', (t) => {
  const history: Operation[] = [published(0, 1), looked(1, 2, 'r0')];
  for (let n = 1; n <= 300; n++) {
    const from = n * 10;
    for (let rival = 0; rival < 6; rival++) {
      const revision = rival === n % 6 ? `r${n}` : `r${n}-${rival}`;
      history.push(updated(from, from + 8, `r${n - 1}`, revision, rival === n % 6 ? 'ok' : 'conflict'));
    }
    history.push(looked(from, from + 9, `r${n}`));
  }
  t.deepEqual(notLinearizable(history), []);
});
