import test from 'ava';
import { aftermathOf, type Known } from '../../../../src/app/records/aftermath.js';
import type { JournalEntry } from '../../../../src/app/records/journal.js';
import type { LeftOutArticle } from '../../../../src/host/admin/site-services.js';
import type { DeliveryRecord } from '../../../../src/host/records.js';

const T0 = Date.parse('2026-11-19T08:00:00Z');
const at = (seconds: number) => new Date(T0 + seconds * 1_000).toISOString();
const path = 'content/soil.md';

const record: DeliveryRecord = {
  key: 'k',
  at: at(0),
  event: 'article.published',
  adapter: null,
  id: 'soil',
  url: 'https://garden.example/soil/',
  outcome: 'stored',
  status: 200,
  ms: 900,
};

const build = (end: number, more: Partial<JournalEntry & { kind: 'build' }> = {}): JournalEntry => ({
  kind: 'build',
  at: at(end),
  ms: 2_000,
  by: 'generator',
  outcome: 'built',
  written: 1,
  removed: 0,
  output: '',
  ...more,
});
const deploy = (end: number, target: string, error: string | null = null): JournalEntry => ({
  kind: 'deploy',
  at: at(end),
  ms: 1_000,
  target,
  error,
  output: '',
});
const commit = (seconds: number, file = path): JournalEntry => ({
  kind: 'commit',
  at: at(seconds),
  path: file,
  commit: `c${seconds}`,
  subject: 'Publish',
});

const after = (journal: readonly JournalEntry[], over: Partial<Known> = {}, of = record) => {
  const known = { path, isBuiltHere: true, journal, awaited: [], leftOut: null, ...over };
  const { commit, build, deploys, live, ...others } = aftermathOf(of, known);
  const steps = { commit: commit?.commit, build: build?.at, live: live?.at };
  return { ...steps, deploys: deploys.map((one) => `${one.target} ${one.at}`), ...others };
};

const NOTHING = {
  path,
  commit: undefined,
  build: undefined,
  deploys: [],
  live: undefined,
  awaited: null,
  leftOut: null,
};

test('of what came after a delivery, the first of each step followed it', (t) => {
  const journal = [
    commit(-60),
    build(1), // it began before the article was stored
    commit(-0.5), // at some levels the commit is before the answer
    commit(1, 'content/other.md'),
    build(3, { outcome: 'failed' }),
    deploy(4, 'hook'),
    build(5),
    deploy(5.5, 'hook'), // it began before the build had ended
    deploy(7, 'hook', 'the host did not answer'),
    deploy(8, 'hook'),
    deploy(9, 'folder /srv'),
    deploy(10, 'hook'),
    { kind: 'live', at: at(12), path } as const,
    build(20),
    commit(30),
  ];
  t.deepEqual(after(journal), {
    ...NOTHING,
    commit: 'c-0.5',
    build: at(5),
    deploys: [`hook ${at(8)}`, `folder /srv ${at(9)}`],
    live: at(12),
  });
});

test('a build that began while its delivery was being answered has the article', (t) => {
  t.is(after([build(1.5)]).build, at(1.5));
});

test('a delivery that has written nothing has no aftermath, and what is awaited or left out is said', (t) => {
  const journal = [commit(1), build(5), deploy(8, 'hook')];
  const nothing = { ...NOTHING, path: null };
  for (const over of [{ outcome: 'known' }, { status: 409, outcome: 'REVISION_CONFLICT' }])
    t.deepEqual(after(journal, {}, { ...record, ...over }), nothing);
  t.deepEqual(after(journal, { path: undefined }), nothing);
  const awaited = [{ path, id: 'soil', url: '', at: at(0), found: 'an older text' }];
  t.like(after([commit(1)], { awaited }), { awaited: { found: 'an older text', isInReview: false } });
  const waiting = [{ path, id: 'soil', url: '', at: at(0), review: 'waiting' as const }];
  const hook = { isBuiltHere: false, awaited: waiting };
  t.like(after([commit(1), deploy(3, 'hook')], hook), { deploys: [], awaited: { isInReview: true } });
  const of = { path, id: 'soil', url: null, why: 'breaks', reason: 'unknown template', at: at(4) } as const;
  const leftOut: LeftOutArticle = { ...of, hasPrevious: false };
  t.deepEqual(after(journal, { leftOut }), { ...NOTHING, commit: 'c1', leftOut });
});

test('where a host builds the site, a deploy follows the commit', (t) => {
  t.deepEqual(after([deploy(0.5, 'hook'), commit(1), deploy(3, 'hook')], { isBuiltHere: false }).deploys, [
    `hook ${at(3)}`,
  ]);
});
