import test from 'ava';
import { articlesPerDay, stationsOf } from '../../../../src/admin/pages/overview.js';

const AT = '2026-11-26T12:00:00Z';
const LATER = '2026-11-26T12:01:00Z';

test('each station of a site has its last time, and why the next one did not pass', (t) => {
  const stations = stationsOf({
    facts: {
      delivery: { at: AT, id: 'a', url: 'https://x.example/a/' },
      commit: { at: AT, commit: 'abc', subject: 'Publish: A' },
      commitError: { at: LATER, path: 'content/b.md', reason: 'index.lock is there' },
      build: { at: AT },
      buildError: { at: LATER, reason: 'exit 1' },
      live: { at: AT, url: 'https://x.example/a/' },
      awaited: [
        { url: 'https://x.example/b/', at: LATER, found: 'answers 404' },
        { url: 'https://x.example/c/', at: LATER },
      ],
    },
    push: { lastPush: AT, waiting: 2, lastError: null, waitingFor: 'the rebase' },
    targets: { 'branch gh-pages': { deployed: { at: AT } }, hook: { error: 'refused', behindSince: LATER } },
  });
  const told = stations.map(({ name, target, level, at, waiting, error, errorAt }) =>
    [name, target, level, at === AT ? 'then' : at, waiting, error, errorAt === LATER ? 'later' : errorAt]
      .filter((part) => part !== undefined)
      .join(' | '),
  );
  t.deepEqual(told, [
    'delivery | ok | then',
    'commit | fail | then | content/b.md: index.lock is there | later',
    'push | fail | then | 2 | the rebase',
    'build | fail | then | exit 1 | later',
    'deploy | branch gh-pages | ok | then',
    'deploy | hook | fail | refused | later',
    'live | warn | then | 2 | https://x.example/b/: answers 404 | later',
  ]);
  t.is(stations.at(-1)?.url, 'https://x.example/a/');
});

test('articles are counted on the day that their date has in the site’s time zone', (t) => {
  const dates = [
    '2026-01-01T10:00:00Z',
    '2026-11-25T22:30:00Z',
    '2026-11-25T23:30:00Z',
    '2026-11-26T00:30:00Z',
  ];
  const days = articlesPerDay(dates.map(Date.parse), 'Europe/Berlin', Date.parse(AT));
  t.is(days.length, 30);
  t.deepEqual(days.slice(-2), [
    { day: '2026-11-25', count: 1 },
    { day: '2026-11-26', count: 2 },
  ]);
  t.deepEqual(days[0], { day: '2026-10-28', count: 0 });
});

test('each of the last days is there once, also that on which the clocks change', (t) => {
  const now = '2026-10-26T22:30:00Z';
  const days = articlesPerDay([], 'Europe/Berlin', Date.parse(now)).map(({ day }) => day);
  t.is(new Set(days).size, 30);
  t.is(days.filter((day) => day === '2026-10-25').length, 1);
});
