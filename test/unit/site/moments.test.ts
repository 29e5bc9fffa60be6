import test from 'ava';
import { dayFormat, momentOf } from '../../../src/site/moments.js';

test('dates are read the same everywhere; what is no date is none', (t) => {
  t.is(momentOf('2026-11-02')?.toISOString(), '2026-11-02T00:00:00.000Z');
  t.is(momentOf('2026-11-02T08:00:00+02:00')?.toISOString(), '2026-11-02T06:00:00.000Z');
  t.is(momentOf('2026-11-02 08:00 +0200')?.toISOString(), '2026-11-02T06:00:00.000Z');
  t.is(momentOf(' 2026-11-02T08:00:00.123456Z')?.toISOString(), '2026-11-02T08:00:00.123Z');
  for (const text of ['', 'yesterday', '2026', '2026-13-45', '2026-11-02T99:00Z', '1e9', '<b>'])
    t.is(momentOf(text), undefined, text);
});

test('days are written in the site’s language, and in English where it has none', (t) => {
  t.is(dayFormat('en')('2026-11-02T23:59:00Z'), 'November 2, 2026');
  t.is(dayFormat('de-AT')('2026-11-02'), '2. November 2026');
  t.is(dayFormat('not a language')('2026-11-02'), 'November 2, 2026');
  t.is(dayFormat('en')('soon'), 'soon');
});
