import test from 'ava';
import type { SiteStatus } from '../../../src/app/status.js';
import { statusFindings } from '../../../src/app/status-findings.js';

const STATUS: SiteStatus = {
  facts: { awaited: [] },
  push: undefined,
  isBuiltHere: true,
  targets: {},
  excluded: [],
  jobs: [],
  receivers: [],
  restart: undefined,
  scheduled: [],
  malformed: [],
  review: undefined,
  addressChange: undefined,
};

for (const isDeclined of [true, false])
  test(`a push and a deploy that ${isDeclined ? 'the remote declines are not' : 'fail otherwise are'} called tried again`, (t) => {
    const error = 'the git remote origin said no';
    const push = {
      lastPush: null,
      waiting: 1,
      lastError: error,
      isDeclined,
      waitingFor: null,
      pullRequest: null,
    };
    const targets = { 'branch pages': { attempts: 1, error, isDeclined } };
    const found = [...statusFindings({ ...STATUS, push, targets }, Date.now())];
    for (const what of ['push', 'deploy']) {
      const { level, text, fix = '' } = found.find(({ about }) => about === what) ?? { text: '' };
      t.is(level, 'fail');
      t.true(text.includes(error));
      t.is(/tries again/.test(fix), !isDeclined);
      t.is(/change the rules of the branch or the rights of this user/.test(fix), isDeclined);
    }
  });

test('of a build, status says whether the last delivery is in it', (t) => {
  const at = (minute: number) => `2026-11-28T10:0${minute}:00.000Z`;
  const delivery = { at: at(2), id: 'fern', url: 'https://garden.example/fern/' };
  const saidOf = (facts: Partial<SiteStatus['facts']>, isBuiltHere = true) => {
    const status = { ...STATUS, isBuiltHere, facts: { awaited: [], delivery, ...facts } };
    const findings = [...statusFindings(status, Date.parse(at(5)))];
    return findings.filter(({ about }) => about === 'build').map(({ level, text }) => `${level}: ${text}`);
  };
  t.deepEqual(saidOf({}), ['none: none yet; the receiver builds in the background']);
  t.deepEqual(saidOf({}, false), []);
  t.deepEqual(saidOf({ buildError: { at: at(4), reason: 'no layout' } }), [
    'fail: the last build failed 60 s ago: no layout',
  ]);
  t.deepEqual(
    saidOf({ buildError: { at: at(4), reason: 'no layout' } }, false),
    [],
    'no build will clear it',
  );
  t.deepEqual(saidOf({ build: { at: at(4), began: at(1) } }), [
    'ok: 60 s ago; it began before the last delivery',
  ]);
  t.deepEqual(saidOf({ build: { at: at(4), began: at(3) } }), ['ok: 60 s ago']);
});

test('of an article in review, status says that it waits, and only after the merge that its page is late', (t) => {
  const now = Date.parse('2026-11-28T10:00:00.000Z');
  const one = { path: 'content/fern.md', id: 'fern', url: 'u', at: '2026-11-28T09:00:00.000Z' };
  const saidOf = (awaited: SiteStatus['facts']['awaited'][number]) => {
    const review = { waiting: 1, url: null, error: null };
    const findings = [...statusFindings({ ...STATUS, review, facts: { awaited: [awaited] } }, now)];
    return findings.filter(({ about }) => about === 'live').map(({ level, text }) => `${level}: ${text}`);
  };
  t.deepEqual(saidOf({ ...one, review: 'waiting' }), ['none: u waits for review; delivered 60 min ago']);
  t.deepEqual(saidOf({ ...one, review: 'merged', found: 'the page answers 404' }), [
    'fail: u not live yet: the page answers 404; merged 60 min ago',
  ]);
});
