import test from 'ava';
import { dateOnArrival, stateAt, withKnownDates } from '../../../src/article/publication.js';

const NOW = Date.parse('2026-11-20T08:00:00Z');

test('an article is scheduled before its date, live from then on, and expired from its expiry on', (t) => {
  const dated = (from?: number, until?: number) => stateAt({ kind: 'dated', from, until }, NOW);
  t.is(dated(NOW), 'live');
  t.is(dated(NOW + 1), 'scheduled');
  t.is(dated(undefined, NOW + 1), 'live');
  t.is(dated(undefined, NOW), 'expired');
  t.is(dated(NOW + 1, NOW), 'expired', 'it will never be live');
});

test('a date that is ahead by what clocks differ is the moment of arrival; a later one is kept', (t) => {
  const sent = (ahead: number) => new Date(NOW + ahead).toISOString();
  for (const soon of [sent(1), sent(60_000), '2026-11-20T09:00:20+01:00'])
    t.is(dateOnArrival(soon, NOW), '2026-11-20T08:00:00.000Z');
  for (const kept of [sent(60_001), sent(0), '2026-11-20']) t.is(dateOnArrival(kept, NOW), kept);
});

test('what a definition cannot read as a date counts as none', (t) => {
  const dates = { kind: 'dated', from: Number.NaN, until: NOW } as const;
  t.deepEqual(withKnownDates(dates), { kind: 'dated', from: undefined, until: NOW });
});
