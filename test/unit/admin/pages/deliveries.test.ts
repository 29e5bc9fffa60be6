import test from 'ava';
import { isFollowed } from '../../../../src/admin/pages/deliveries.js';

test('the page of a delivery looks again until the article is live, or for a quarter of an hour', (t) => {
  const at = '2026-11-26T12:00:00Z';
  const now = Date.parse(at) + 60_000;
  const stored = { path: 'content/a.md', live: null };
  t.true(isFollowed({ at }, stored, now));
  t.false(isFollowed({ at }, { ...stored, live: { at } }, now));
  t.false(isFollowed({ at }, { ...stored, path: null }, now), 'nothing was stored');
  t.false(isFollowed({ at }, stored, now + 15 * 60_000));
});
