import test from 'ava';
import { stateChange } from '../../../../src/app/articles/host-articles.js';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const AT = '2026-12-10T00:00:00Z';

test('an article that is scheduled has no expiry before that, which would leave it without a time on the site', (t) => {
  const scheduled = (until: string) =>
    stateChange('scheduled', AT, { publication: { kind: 'dated', until: Date.parse(until) } }, NOW, 'ada');
  t.deepEqual(scheduled('2026-11-01T00:00:00Z'), { held: undefined, date: AT, expires: null });
  t.deepEqual(scheduled('2026-12-01T00:00:00Z'), { held: undefined, date: AT, expires: null });
  t.deepEqual(scheduled('2026-12-24T00:00:00Z'), { held: undefined, date: AT });
});
