import test from 'ava';
import { isTimeZone, offsetAt } from '../../../src/generators/time-zone.js';

const HOUR = 3_600_000;

test('the offset of a time zone follows its summer time', (t) => {
  t.is(offsetAt(Date.parse('2026-01-15T12:00:00Z'), 'Europe/Vienna'), HOUR);
  t.is(offsetAt(Date.parse('2026-07-15T12:00:00Z'), 'Europe/Vienna'), 2 * HOUR);
  t.is(offsetAt(Date.parse('2026-07-15T12:00:00Z'), 'Asia/Kathmandu'), 5.75 * HOUR);
  t.is(offsetAt(Date.parse('2026-01-15T12:00:00Z'), 'America/St_Johns'), -3.5 * HOUR);
  t.is(offsetAt(0, 'UTC'), 0);
});

test('names that are not of the IANA database are recognised as such', (t) => {
  t.true(isTimeZone('Asia/Tokyo'));
  t.false(isTimeZone('Mars/Olympus'));
  t.false(isTimeZone(''));
});
