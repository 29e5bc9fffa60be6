import test from 'ava';
import { isMoment, parseMoment } from '../../../src/contract/moment.js';
import { fc } from '../../support/property.js';

const MOMENTS: [text: string, utc: string][] = [
  ['2026-11-19T08:00:00Z', '2026-11-19T08:00:00.000Z'],
  ['2026-11-19t08:00:00z', '2026-11-19T08:00:00.000Z'],
  ['2026-11-19', '2026-11-19T00:00:00.000Z'],
  ['2026-11-19T08:00', '2026-11-19T08:00:00.000Z'],
  ['2026-11-19T08:00:00.5Z', '2026-11-19T08:00:00.500Z'],
  ['2026-11-19T08:00:00,123456Z', '2026-11-19T08:00:00.123Z'],
  ['2026-11-19T08:00:00+02', '2026-11-19T06:00:00.000Z'],
  ['2026-11-19T08:00:00+0230', '2026-11-19T05:30:00.000Z'],
  ['2026-11-19T08:00:00-02:30', '2026-11-19T10:30:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-10-31T24:00:00Z', '2026-11-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
];

const OTHERS = [
  '',
  'now',
  '1795075200',
  '19.11.2026',
  '2026-11',
  '2026-W47-4',
  '20261119T080000Z',
  '2026-13-01',
  '2026-11-31',
  '2026-02-29T08:00:00Z',
  '2026-02-30T08:00:00+02:00',
  '2026-11-32T00:00:00Z',
  '2026-11-19T25:00:00Z',
  '2026-11-19T08:60:00Z',
  '2026-11-19T08:00:00+25:00',
  '2026-11-19 08:00:00Z',
  '2026-11-19T08:00.5Z',
  '2026-11-19T08:00:00Z ',
  '+002026-11-19T08:00:00Z',
  '0000-01-01T00:30:00+01:00',
  '9999-12-31T23:59:59-01:00',
  'Thu, 19 Nov 2026 08:00:00 GMT',
];

for (const [text, utc] of MOMENTS) {
  test(`${text} is ${utc}`, (t) => {
    t.is(new Date(parseMoment(text)).toISOString(), utc);
  });
}

for (const text of OTHERS) {
  test(`${JSON.stringify(text)} is not a moment`, (t) => {
    t.false(isMoment(text));
  });
}

test('every moment that JavaScript writes is read back', (t) => {
  const years = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
  fc.assert(
    fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
      t.is(parseMoment(date.toISOString()), date.getTime());
    }),
  );
});
