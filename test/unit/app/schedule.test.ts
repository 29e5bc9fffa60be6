import test from 'ava';
import { schedulePlugin } from '../../../src/app/schedule.js';
import { type Entry, NEVER_READ } from '../../../src/store/catalog/entry.js';
import { createTestHost } from '../../../src/testing/test-host.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('an article whose date comes while the dates of others are compared goes live, too', async (t) => {
  let time = Date.parse('2026-11-28T09:00:00Z');
  const entries = Array.from({ length: 20 }, (_, n): Entry => {
    const path = `${n}.md`;
    return { path, fingerprint: NEVER_READ, id: path, url: `https://garden.example/${n}/`, from: time + n };
  });
  const catalog = { get: () => undefined, entries: () => entries.values() };
  const since = time - 1;
  // Each look at the clock takes a millisecond.
  const plugin = schedulePlugin({
    catalog,
    prefix: 'content/',
    since,
    stateDir: tempDir(t),
    now: () => time++,
  });
  const host = await createTestHost(plugin);
  t.teardown(host.close);
  await host.doAction('host.ready', { url: 'http://localhost:8787' });
  const live = () => host.log.filter(({ msg }) => msg === 'the article is live').map(({ id }) => id);
  await until('all are live', () => live().length >= entries.length);
  t.deepEqual(
    live(),
    entries.map(({ id }) => id),
  );
});
