import test from 'ava';
import { originOf } from '../../../src/host/http/local-request.js';
import { localTime, momentIn } from '../../../src/host/local-time.js';

test('local time: a text without an offset is in the time zone, also where the clocks are changed', (t) => {
  for (const [text, moment] of [
    ['2026-07-01T10:00:00', '2026-07-01T08:00:00.000Z'],
    ['2026-12-01T10:00', '2026-12-01T09:00:00.000Z'],
    ['2026-07-01T10:00:00.5-0700', '2026-07-01T17:00:00.500Z'],
    ['2026-11-27T08:00:00.900', '2026-11-27T07:00:00.900Z'],
    ['2026-13-01T10:00', undefined],
    ['2026-02-30T10:00', undefined],
    ['2026-02-30T10:00:00Z', undefined],
    ['soon', undefined],
  ] as const)
    t.is(momentIn('Europe/Berlin', text), moment, text);
  t.is(localTime('Europe/Berlin', '2026-07-01T08:00:00.000Z'), '2026-07-01T10:00:00');
  t.is(localTime('UTC', '2026-07-01T08:00:00Z'), '2026-07-01T08:00:00');
});

test('local time: of an hour that comes twice the first counts, and one that is left out is later, in every time zone', (t) => {
  // As `Temporal.PlainDateTime.toZonedDateTime` has it with `compatible`.
  for (const [timeZone, text, moment] of [
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:30:00.250', '2026-10-25T00:30:00.250Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
  ] as const)
    t.is(momentIn(timeZone, text), moment, `${text} in ${timeZone}`);
});

test('a secret is only sent to an address with https, except on this machine', (t) => {
  t.is(originOf('blog.example:8080'), 'https://blog.example:8080');
  t.is(originOf('localhost.example'), 'https://localhost.example');
  t.is(originOf('[::1]:8787'), 'http://[::1]:8787');
});
