import test from 'ava';
import { dateFormats, isoOf } from '../../../../src/site/index/dates.js';

// Of the machine, which must make no difference.
process.env.TZ = 'Asia/Tokyo';

test('dates are read the same in every time zone, and a text that is not a date is not read as one', (t) => {
  const { TZ } = process.env;
  t.teardown(() => (TZ === undefined ? delete process.env.TZ : Object.assign(process.env, { TZ })));
  for (const zone of ['Asia/Tokyo', TZ ?? 'UTC']) {
    Object.assign(process.env, { TZ: zone });
    t.is(isoOf('2026-11-02'), '2026-11-02T00:00:00.000Z', zone);
    t.is(isoOf('2026-11-02 08:00'), '2026-11-02T08:00:00.000Z', zone);
    t.is(isoOf('2026-11-02T08:00:00+02:00'), '2026-11-02T06:00:00.000Z', zone);
    t.is(isoOf('2026-11-02 08:00 +0200'), '2026-11-02T06:00:00.000Z', zone);
    t.is(isoOf(' 2026-11-02T08:00:00.123456Z'), '2026-11-02T08:00:00.123Z', zone);
  }
  for (const text of ['', 'soon', '2026', '2026-13-45', '2026-11-32', '2026-11-02T24:01:00Z', '1e9', '<b>'])
    t.is(isoOf(text), undefined, text);
  t.is(isoOf('2024-02-29T08:00:00Z'), '2024-02-29T08:00:00.000Z');
});

const day = (locale: string, timeZone = 'UTC') => dateFormats({ locale, timeZone }).day;
const year = (locale: string, timeZone = 'UTC') => dateFormats({ locale, timeZone }).year;

test('a day is written as the locale of the site writes it', (t) => {
  t.is(day('en')('2026-11-02T23:59:00Z'), 'November 2, 2026');
  t.is(day('de-AT')('2026-11-02'), '2. November 2026');
  t.is(day('en')('soon'), 'soon');
  t.is(year('en')('soon'), '');
});

test('a moment is shown as the day of the site’s time zone; a day without a zone is that day everywhere', (t) => {
  for (const [zone, expected] of Object.entries({
    UTC: 'November 2, 2026',
    'Europe/Vienna': 'November 3, 2026',
    'America/Los_Angeles': 'November 2, 2026',
  })) {
    t.is(day('en', zone)('2026-11-02T23:30:00Z'), expected, zone);
    t.is(day('en', zone)('2026-11-02T23:30:00+0000'), expected, zone);
    t.is(day('en', zone)('2026-11-02'), 'November 2, 2026', zone);
    t.is(day('en', zone)('2026-11-02 23:30'), 'November 2, 2026', zone);
  }
});

test('at New Year the year is that of the site’s time zone', (t) => {
  t.is(year('en')('2026-12-31T23:30:00Z'), '2026');
  t.is(year('en', 'Asia/Tokyo')('2026-12-31T23:30:00Z'), '2027');
  t.is(year('en', 'Asia/Tokyo')('2026-12-31'), '2026');
});
