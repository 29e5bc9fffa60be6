import test from 'ava';
import { dateValue, dayOf, momentOf } from '../../../../src/generators/mapping/dates.js';

test('a date of front matter means a moment: of the site’s day, with or without an offset', (t) => {
  const at = (value: unknown, zone = 'Asia/Tokyo', ofTimes = zone) => {
    const moment = momentOf(value, zone, ofTimes);
    return moment === undefined ? undefined : new Date(moment).toISOString();
  };
  t.is(at('2026-11-20'), '2026-11-19T15:00:00.000Z');
  t.is(at('2026-11-20 08:30'), '2026-11-19T23:30:00.000Z');
  t.is(at('2026-11-20 08:30', 'Asia/Tokyo', 'UTC'), '2026-11-20T08:30:00.000Z');
  t.is(at('2026-11-20T08:30:15.5-02:30'), '2026-11-20T11:00:15.500Z');
  t.is(at('2026-11-20 08:30:00 +0900'), '2026-11-19T23:30:00.000Z');
  t.is(at('2026-11-20 08:30:00 UTC'), '2026-11-20T08:30:00.000Z');
  t.is(at('Nov 20, 2026', 'UTC'), '2026-11-20T00:00:00.000Z', 'whatever the zone of this machine');
  t.is(at('Fri, 20 Nov 2026 08:30:00 GMT'), '2026-11-20T08:30:00.000Z');
  for (const none of ['2026-13-40', '2026-02-31', 'soon', 20261120, null, undefined])
    t.is(at(none), undefined);
});

test('a local time next to a change of the clocks means the moment at which they show it', (t) => {
  for (const [text, utc] of [
    ['2026-03-29 01:30', '2026-03-29T00:30:00.000Z'],
    ['2026-03-29 03:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25 03:30', '2026-10-25T02:30:00.000Z'],
  ] as const)
    t.is(new Date(momentOf(text, 'Europe/Vienna') ?? 0).toISOString(), utc);
  t.is(new Date(momentOf('2026-03-08', 'Atlantic/Azores') ?? 0).toISOString(), '2026-03-08T01:00:00.000Z');
});

test('the day of a date is the one that a clock of the site shows, or the one that is written', (t) => {
  const day = (date: string, zone?: string) => Object.values(dayOf(date, zone)).join('-');
  t.is(day('2026-11-20T20:30:00Z', 'Asia/Tokyo'), '2026-11-21');
  t.is(day('2026-11-20T20:30:00Z'), '2026-11-20');
  for (const zone of ['America/New_York', 'UTC', 'Asia/Tokyo']) {
    t.is(day('2018-01-01', zone), '2018-01-01');
    t.is(day('May 2, 2018', zone), '2018-05-02');
    t.is(day('2018-05-02 10:00:00 +0200', zone), '2018-05-02');
  }
  t.is(day('soon'), '1970-01-01');
});

test('a date in the first or last days of four-digit years is a moment, so that an article of the last day is scheduled', (t) => {
  for (const zone of ['America/New_York', 'UTC', 'Asia/Tokyo']) {
    const { year } = dayOf('9999-12-31T23:59:59Z', zone);
    t.is(momentOf('9999-12-31T23:59:59Z', zone), Date.parse('9999-12-31T23:59:59Z'));
    t.is(year, '9999');
    t.is(dayOf('0000-01-01T00:00:00Z', zone).year, '0000');
    t.is(dateValue('9999-12-31T23:59:59Z', { dates: 'string', timeZone: zone }), '9999-12-31T23:59:59Z');
  }
  t.true((momentOf('9999-12-31', 'Asia/Tokyo') ?? 0) > Date.parse('9999-12-30'));
});
