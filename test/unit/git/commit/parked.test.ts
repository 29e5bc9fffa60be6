import test from 'ava';
import { type Parked, sortParked } from '../../../../src/git/commit/parked.js';

const parked = (path: string, blob: string, over: string | undefined): Parked => ({
  path,
  blob,
  mode: '100644',
  over,
  message: '',
  authored: { name: '', email: '', seconds: 0 },
  at: null,
  waitingFor: '',
});

function sorted(
  chain: readonly Parked[],
  atTip: Record<string, string>,
  had: Record<string, readonly string[]> = {},
) {
  const blobs = new Map(Object.entries(had).map(([path, ids]) => [path, new Set(ids)]));
  const { wanted, overtaken } = sortParked(chain, new Map(Object.entries(atTip)), blobs);
  const names = (some: readonly Parked[]) => some.map(({ path, blob }) => `${path}:${blob}`);
  return { wanted: names(wanted), overtaken: names(overtaken) };
}

test('parked commits go on top of what they were made upon, each upon the one before', (t) => {
  const chain = [parked('a', '1', undefined), parked('a', '2', '1'), parked('b', '1', '0')];
  t.deepEqual(sorted(chain, { b: '0' }), { wanted: ['a:1', 'a:2', 'b:1'], overtaken: [] });
});

test('what the branch has already is passed over, and what follows it is wanted', (t) => {
  const chain = [parked('a', '1', undefined), parked('a', '2', '1')];
  t.deepEqual(sorted(chain, { a: '1' }, { a: ['1'] }), { wanted: ['a:2'], overtaken: [] });
  t.deepEqual(sorted(chain, { a: '2' }, { a: ['1', '2'] }), { wanted: [], overtaken: [] });
});

test('nothing is put over what somebody has committed since, or has removed', (t) => {
  const chain = [parked('a', '1', '0'), parked('a', '2', '1')];
  t.deepEqual(sorted(chain, { a: 'mine' }), { wanted: [], overtaken: ['a:1', 'a:2'] });
  t.deepEqual(sorted(chain, {}), { wanted: [], overtaken: ['a:1', 'a:2'] });
});
