import test from 'ava';
import { dateFormats, isoOf } from '../../../../src/site/index/dates.js';

// Of the machine, which must make no difference.
process.env.TZ = 'Asia/Tokyo';

test('a date is the same moment in every zone of the machine, and a text that is not a date is not read as one', (t) => {
  t.is(isoOf('2026-11-02'), '2026-11-02T00:00:00.000Z');
  t.is(isoOf('2026-11-02 08:00'), '2026-11-02T08:00:00.000Z');
  t.is(isoOf('2026-11-02 08:00 +0200'), '2026-11-02T06:00:00.000Z');
  t.is(isoOf(' 2026-11-02T08:00:00.123456Z'), '2026-11-02T08:00:00.123Z');
  for (const text of ['', 'soon', '2026', '2026-13-45', '2026-11-02T24:01:00Z', '1e9'])
    t.is(isoOf(text), undefined, text);
});

test('a moment is the day of the site’s time zone, as its locale writes it; a day without a zone is that day everywhere', (t) => {
  const on = (locale: string, timeZone: string) => dateFormats({ locale, timeZone });
  for (const [zone, moment] of [
    ['Europe/Vienna', 'November 3, 2026'],
    ['America/Los_Angeles', 'November 2, 2026'],
  ] as const) {
    const { day } = on('en', zone);
    for (const text of ['2026-11-02T23:30:00Z', '2026-11-02T23:30:00+0000']) t.is(day(text), moment);
    for (const text of ['2026-11-02', '2026-11-02 23:30']) t.is(day(text), 'November 2, 2026');
  }
  t.is(on('de-AT', 'UTC').day('2026-11-02'), '2. November 2026');
  t.is(on('en', 'Asia/Tokyo').year('2026-12-31T23:30:00Z'), '2027');
  t.is(on('en', 'Asia/Tokyo').year('2026-12-31'), '2026');
  t.deepEqual([on('en', 'UTC').day('soon'), on('en', 'UTC').year('soon')], ['soon', '']);
});
