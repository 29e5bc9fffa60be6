import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { takeKernelLock } from '../../../src/fs/lock.js';
import { findLockHelper } from '../../../src/fs/lock-helper.js';
import type { ListedArticle } from '../../../src/host/articles/articles.js';
import type { JobEventName } from '../../../src/host/hooks/hook-types.js';
import { nextTime, timesOf } from '../../../src/host/jobs/crons.js';
import { afterFailure, isDue, type Job } from '../../../src/host/jobs/job.js';
import { createJobs, type Jobs } from '../../../src/host/jobs/jobs.js';
import { JOBS, readNotes, readOpenJobs } from '../../../src/host/jobs/notes.js';
import { hideInLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

// What a receiver that is killed at a write leaves to the next one is in jobs-killed.

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const DAY = 86_400_000;
const log = pino({ level: 'silent' });
const actions = [
  'article.published',
  'article.updated',
  'article.live',
  'article.removed',
  'post.done',
  'host.ready',
];
const owner = { plugin: 'post', log, actions, timeZone: 'UTC' };
const LIVE = { id: 'a', url: 'https://a.example/a/', path: 'content/a.md', at: '2026-03-01', ms: 5 };
/** An action that a plugin has declared; its argument is for that plugin to say. */
const OWN = 'post.done' as 'article.live';
const DONE = { ...LIVE, id: 'x' };

interface Site {
  readonly folder: string;
  /** Of its articles, by their ids. */
  readonly revisions: Record<string, string>;
  /** Ms since 1970. */
  time: number;
  /** What its receivers have logged as errors. */
  readonly errors: string[];
  /** Starts a receiver's jobs. */
  start(...adding: ((jobs: Jobs) => void)[]): Jobs;
  /** The files of notes. */
  noted(): string[];
  states(): string[];
  /** Resolves when nothing is noted any more, and something has run. */
  isDone(runs: readonly unknown[], count: number): Promise<void>;
}

function siteOf(t: ExecutionContext): Site {
  const folder = join(tempDir(t), JOBS);
  const notes = join(folder, 'noted');
  fs.mkdirSync(notes, { recursive: true });
  const ofReceiver = pino(
    { level: 'error' },
    { write: (line: string) => void site.errors.push(JSON.parse(line).msg) },
  );
  const site: Site = {
    folder,
    revisions: {},
    time: NOW,
    errors: [],
    start(...adding) {
      const jobs = createJobs({ folder, log: ofReceiver, now: () => site.time });
      for (const add of adding) add(jobs);
      jobs.start({
        get: async (id) => {
          const revision = site.revisions[id];
          return revision === undefined ? undefined : ({ id, revision, date: 'of it' } as ListedArticle);
        },
        ids: () => Object.keys(site.revisions),
      });
      t.teardown(() => jobs.close(1_000));
      return jobs;
    },
    noted: () => fs.readdirSync(notes).filter((name) => name.endsWith('.json')),
    states: () =>
      readNotes(notes).flatMap(({ events }) =>
        events.flatMap(({ jobs }) => Object.values(jobs).map(({ kind }) => kind)),
      ),
    isDone: (runs, count) =>
      until(`${count} runs are done`, () => runs.length >= count && site.noted().length === 0),
  };
  return site;
}

const jobOn =
  <N extends JobEventName>(on: N, run: Job<N>['run'], rest: Partial<Job<N>> = {}, of = owner) =>
  (jobs: Jobs) =>
    jobs.addJob(of, on.replace('.', '-').toLowerCase(), { on, run, ...rest });

test('jobs: after each failure the pause is longer, and after ten the event is given up', (t) => {
  const pauses: number[] = [];
  for (let attempt = 1; attempt < 10; attempt++) {
    const state = afterFailure(attempt, 'no answer', NOW);
    if (state.kind !== 'failed') return t.fail(state.kind);
    const next = Date.parse(state.nextAt);
    pauses.push(next - NOW);
    t.deepEqual([isDue(state, next - 1), isDue(state, next)], [false, true]);
  }
  t.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  );
  t.deepEqual([pauses[0], pauses.at(-1)], [1_000, DAY]);
  const last = afterFailure(10, 'x'.repeat(9_999), NOW);
  t.like(last, { kind: 'givenUp', error: 'x'.repeat(500) });
  t.false(isDue(last, Number.MAX_SAFE_INTEGER));
});

test('jobs: a cron that was missed is due once, and follows the clock of its time zone', (t) => {
  const nightly = timesOf('30 2 * * *', 'Europe/Zurich');
  const next = (last: string | undefined, now: string) =>
    new Date(nextTime(nightly, last === undefined ? last : Date.parse(last), Date.parse(now))).toISOString();
  const now = '2026-01-10T12:00:00Z';
  t.is(next(undefined, now), '2026-01-11T01:30:00.000Z', 'not seen before: not late');
  t.is(next('2026-01-03T01:30:00Z', now), '2026-01-04T01:30:00.000Z', 'late');
  t.is(next('2027-01-01T00:00:00Z', now), '2026-01-11T01:30:00.000Z', 'a clock that was set back');
  t.is(next('2026-07-01T12:00:00Z', '2026-07-01T12:00:00Z'), '2026-07-02T00:30:00.000Z', 'summer time');
});

test('jobs: what is no job is refused in words that name plugin and job', (t) => {
  const run = () => undefined;
  const job = (name: unknown, what: unknown) => (jobs: Jobs) =>
    jobs.addJob(owner, name, what as Job<'article.live'>);
  const cron = (what: object) => (jobs: Jobs) =>
    jobs.addCron(owner, 'a', what as { at: string; run(): void });
  for (const [add, words] of [
    [job('a', undefined), /job "a": write an object with on, since, timeoutMs, run/],
    [job('a', { on: 'article.lives', run }), /no action "article.lives"; did you mean article.live\?/],
    [job('a', { on: 'host.ready', run }), /no job can be on host.ready; use addAction/],
    [job('a', { on: 'article.removed', run }), /no job can be on article.removed; use addAction/],
    [job('a', { on: 'article.live', run, when: 1 }), /it has the unknown key "when"/],
    [job('A b', { on: 'article.live', run }), /job "A b": name it in lower-case letters/],
    [job('a', { on: 'article.live', run, since: 'ever' }), /is for article.published alone/],
    [job('a', { on: 'article.live', run, timeoutMs: 0 }), /its timeoutMs is "0"/],
    [cron({ at: '0 3 * *', run }), /its at is "0 3 \* \*": write five fields/],
    [cron({ at: '61 3 * * *', run }), /Invalid value for minute: 61; write five fields/],
    [cron({ at: '0 0 30 2 *', run }), /there is no such time/],
    [cron({ at: '0 3 * * *', timeZone: 'Mars/X', run }), /there is no time zone Mars\/X/],
  ] as const) {
    const error = t.throws(() => add(createJobs({ folder: '/nowhere', log })), { message: words });
    t.true(error.message.startsWith('plugin post: '));
  }
  const jobs = createJobs({ folder: '/nowhere', log });
  cron({ at: '0 3 * * *', run })(jobs);
  t.throws(() => job('a', { on: 'article.live', run })(jobs), {
    message: /another job or cron of this name/,
  });
});

test('jobs: an event is noted, run once and forgotten, also where two receivers have seen it', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  const jobs = site.start(
    jobOn('article.live', (event, { attempt, signal }) => {
      runs.push([event, attempt, signal.aborted, site.noted().length]);
    }),
  );
  await jobs.noteAction('article.live', LIVE);
  await site.isDone(runs, 1);
  await jobs.noteAction('article.live', LIVE);
  await jobs.noteAction('article.live', { ...LIVE, at: 'later' });
  await site.isDone(runs, 2);
  t.deepEqual(runs[0], [LIVE, 1, false, 1], 'while it runs, its note is there');
  t.like(runs.slice(1), [[{ ...LIVE, at: 'later' }, 1, false]]);
  await jobs.noteAction(OWN, DONE);
  t.deepEqual(site.noted(), [], 'no job is on this');
});

test('jobs: a job begins while articles keep coming, too', async (t) => {
  const site = siteOf(t);
  let isRun = false;
  const jobs = site.start(jobOn('article.live', () => (isRun = true)));
  const note = () => jobs.noteArticle('article.published', { id: 'b', timestamp: '2026-03-01' });
  const coming = setInterval(note, 5);
  t.teardown(() => clearInterval(coming));
  await jobs.noteAction('article.live', LIVE);
  await until('the job has run', () => isRun);
  t.true(isRun);
});

test('jobs: one that fails is tried again, the events behind it do not wait, and its error shows no secret', async (t) => {
  hideInLog('key "of the" chat');
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(
    jobOn('article.live', ({ id }, { attempt }) => {
      runs.push(`${id} ${attempt}`);
      if (id === 'a' && attempt < 3)
        throw new Error('POST https://chat.example/key "of the" chat has failed');
    }),
  );
  await Promise.all(['a', 'b'].map((id) => jobs.noteAction('article.live', { ...LIVE, id, path: id })));
  await until(
    'both were tried, and one has failed',
    () => runs.length === 2 && site.states().join() === 'failed',
  );
  const [{ state } = {}] = readOpenJobs(join(site.folder, '..'));
  t.like(state, { attempt: 1, error: 'POST https://chat.example/[redacted] has failed' });
  site.time += 1_000;
  await until('the second attempt', () => runs.length === 3);
  site.time += 10_000;
  await site.isDone(runs, 4);
  t.deepEqual(runs, ['a 1', 'b 1', 'a 2', 'a 3']);
});

test('jobs: a person has a failed event run again at once, also one that was given up, by any receiver', async (t) => {
  const site = siteOf(t);
  const runs: number[] = [];
  let isBroken = true;
  const add = jobOn(OWN, (_event, { attempt }) => {
    runs.push(attempt);
    if (isBroken) throw new Error('no answer');
  });
  const open = () => readOpenJobs(join(site.folder, '..'));
  const leader = site.start(add);
  await leader.noteAction(OWN, DONE);
  await until('it has failed', () => open()[0]?.state.kind === 'failed');
  const { job = '', key = '' } = open()[0] ?? {};
  await site.start(add).runAgain(job, key);
  for (let attempt = 2; attempt <= 11; attempt++) {
    await until(
      'it has failed again',
      () => runs.length === attempt && /failed|givenUp/.test(site.states().join()),
    );
    site.time += DAY;
  }
  t.deepEqual(runs, [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'as if for the first time');
  t.is(open()[0]?.state.kind, 'givenUp');
  isBroken = false;
  await leader.runAgain(job, key);
  await site.isDone(runs, 12);
  t.is(runs.at(-1), 1);
  await t.throwsAsync(leader.runAgain(job, key), { code: 'USAGE', message: /has nothing to do/ });
});

test('jobs: a person’s wish is found where the clock was set back since its event was noted, and of an event that is done it runs nothing', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const error = { error: 'no answer', nextAt: new Date(NOW + DAY).toISOString() };
  const event = (over: object, state: object) => ({
    events: [{ name: OWN, key: 'x', payload: DONE, ...over, jobs: { 'post.post-done': state } }],
  });
  const at = new Date(NOW).toISOString();
  for (const [name, note] of Object.entries({
    later: event({ at }, { kind: 'failed', attempt: 3, ...error }),
    earlier: event({ at, again: true }, { kind: 'waiting' }),
    done: event({ at, again: true, key: 'y', payload: { id: 'y' } }, { kind: 'waiting' }),
  }))
    fs.writeFileSync(join(site.folder, `noted/${name}.json`), `${JSON.stringify(note)}\n`);
  site.start(jobOn(OWN, ({ id }, { attempt }) => void runs.push(`${id} ${attempt}`)));
  await site.isDone(runs, 1);
  t.deepEqual(runs, ['x 1']);
});

test('jobs: one that takes too long has failed, its signal says so, and only its next attempt for this event waits for its end', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  let reason: unknown;
  let end: () => void = () => undefined;
  let said = '';
  const write = (line: string) => {
    said += line;
  };
  const jobs = site.start(
    jobOn(
      'article.live',
      async ({ id }, { attempt, signal }) => {
        runs.push(`${id} ${attempt}`);
        if (attempt > 1 || id !== 'a') return;
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      },
      { timeoutMs: 20 },
      { ...owner, log: pino({ level: 'warn' }, { write }) },
    ),
  );
  await jobs.noteAction('article.live', LIVE);
  await until('its failure is noted', () => reason !== undefined && site.states().includes('failed'));
  t.is((reason as Error).message, 'the job took longer than 0.02 s');
  site.time += 1_000;
  await jobs.noteAction('article.live', { ...LIVE, id: 'b', path: 'b' });
  await until('another event is done', () => site.states().length === 1);
  t.deepEqual(runs, ['a 1', 'b 1']);
  t.regex(said, /does not stop after its time/);
  end();
  await site.isDone(runs, 3);
  t.is(runs[2], 'a 2');
});

test('jobs: of two receivers on a folder one runs the jobs, and the other goes on when it has ended', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const receiver = (name: string) =>
    site.start(jobOn('article.live', ({ id }) => void runs.push(`${name} ${id}`)));
  const note = (jobs: Jobs, id: string) => jobs.noteAction('article.live', { ...LIVE, id, path: id });
  const first = receiver('first');
  await note(first, '0');
  await site.isDone(runs, 1);
  const second = receiver('second');
  for (const id of ['1', '2', '3']) await note(id === '2' ? first : second, id);
  await site.isDone(runs, 4);
  await first.close(1_000);
  await note(second, '4');
  await site.isDone(runs, 5);
  t.deepEqual(runs.toSorted(), ['first 0', 'first 1', 'first 2', 'first 3', 'second 4']);
});

test('jobs: when the receiver stops, a running job is told, and runs after the next start as if for the first time', async (t) => {
  const site = siteOf(t);
  const attempts: number[] = [];
  const first = site.start(
    jobOn('article.live', (_event, { attempt, signal }) => {
      attempts.push(attempt);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }),
  );
  await first.noteAction('article.live', LIVE);
  await until('it runs', () => attempts.length === 1);
  await first.close(60_000);
  site.start(jobOn('article.live', (_event, { attempt }) => void attempts.push(attempt)));
  await site.isDone(attempts, 2);
  t.deepEqual(attempts, [1, 1]);
});

test('jobs: a receiver that has not started them, as its articles are not there yet, leaves what is noted to others', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const runIn = (receiver: string) => jobOn('article.live', () => void runs.push(receiver));
  const early = createJobs({ folder: site.folder, log, now: () => site.time });
  runIn('early')(early);
  await early.noteAction('article.live', LIVE);
  await early.close(60_000);
  t.false(fs.existsSync(join(site.folder, 'lock')), 'it has not asked whether it may run jobs');
  site.start(runIn('started'));
  await site.isDone(runs, 1);
  t.deepEqual(runs, ['started']);
});

test('jobs: one that does not stop when the receiver does is left behind, and no other receiver runs it before it has ended', async (t) => {
  const site = siteOf(t);
  const attempts: number[] = [];
  let end: () => void = () => undefined;
  const first = site.start(
    jobOn('article.live', (_event, { attempt }) => {
      attempts.push(attempt);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    }),
  );
  await first.noteAction('article.live', LIVE);
  await until('it runs', () => attempts.length === 1);
  await first.close(1);
  const lock = () => takeKernelLock(join(site.folder, 'lock'), findLockHelper(), 0);
  await t.throwsAsync(lock, { code: 'LOCK_TIMEOUT' });
  end();
  await site.isDone(attempts, 1);
  await until('another receiver may run jobs', async () => {
    const taken = await lock().catch(() => undefined);
    if (taken !== undefined) fs.closeSync(taken);
    return taken !== undefined;
  });
});

test('jobs: an article is noted before it is stored; the job waits for it, or forgets it', async (t) => {
  const site = siteOf(t);
  const runs: object[] = [];
  const jobs = site.start(
    jobOn('article.published', (event) => void runs.push(event)),
    jobOn('article.updated', (event) => void runs.push(event)),
  );
  const timestamp = '2026-03-01T11:59:59Z';
  const at = new Date(NOW).toISOString();
  await jobs.noteArticle('article.published', { id: 'a', timestamp });
  await jobs.noteArticle('article.published', { id: 'a', timestamp }); // the delivery failed, and was sent again
  await jobs.noteArticle('article.published', { id: 'never', timestamp });
  // Read after the first run and half an hour, the second note would be a new event: it is remembered for ten minutes.
  await until('both notes of the article are one', () => site.states().length === 2);
  site.revisions.a = 'r1';
  /** It may have been looked for just before, and is not looked for again at once. However slow the machine is, no hour passes. */
  const comes = (what: string, count: number) => {
    const last = site.time + 600_000;
    return until(what, () => {
      site.time = Math.min(site.time + 1_000, last);
      return runs.length >= count;
    });
  };
  await comes('it is published', 1);
  const stored = { id: 'a', revision: 'r1', date: 'of it' };
  t.deepEqual(runs, [{ event: 'article.published', article: stored, timestamp, at }]);

  await jobs.noteArticle('article.updated', { id: 'a', base: 'r1', timestamp });
  site.time += 1_800_000; // a push to a slow remote takes that long
  site.revisions.a = 'r2';
  await comes('it is updated', 2);
  t.is(runs.length, 2);
  t.like(runs[1], { event: 'article.updated', article: { revision: 'r2' } });
  site.time += 3_600_001;
  await site.isDone(runs, 2);
  await jobs.noteArticle('article.published', { id: 'never', timestamp });
  site.revisions.never = 'r1';
  await comes('it is published, too', 3);
  t.like(runs[2], { article: { id: 'never' } });
});

test('jobs: an article that comes again, forgotten or put back to an earlier revision, is a new event, also while the job runs', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  let end: () => void = () => undefined;
  const jobs = site.start(
    jobOn('article.published', ({ event }) => void runs.push(event)),
    jobOn('article.updated', async ({ event, article: { revision } }) => {
      runs.push(`${event} to ${revision}`);
      if (revision === 'r3') await new Promise<void>((resolve) => (end = resolve));
    }),
  );
  site.revisions.a = 'r1';
  for (const count of [1, 2]) {
    await jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
    await site.isDone(runs, count);
    site.time += 1_000;
  }
  const update = async (revision: string) => {
    site.revisions.a = revision; // at once: a job that came too early would wait for the clock, which stands still
    await jobs.noteArticle('article.updated', { id: 'a', base: 'r1', timestamp: '' });
    await jobs.noteAction('article.updated', {} as never);
  };
  await update('r2');
  await site.isDone(runs, 3);
  site.time += 1_000;
  await update('r3');
  await until('the job runs', () => runs.length === 4);
  site.time += 1_000;
  await update('r4');
  await until('the second note is read', async () => {
    await jobs.noteAction('article.updated', {} as never);
    return site.states().length === 1;
  });
  end();
  site.time += 1_000;
  await site.isDone(runs, 5);
  t.deepEqual(runs, [
    ...['article.published', 'article.published'],
    ...['article.updated to r2', 'article.updated to r3', 'article.updated to r4'],
  ]);
});

test('jobs: an article that was noted while the clock was wrong is one event, and not a new one after each run', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const name = 'article.published';
  const jobs = { 'post.article-published': { kind: 'waiting' } };
  const at = new Date(NOW + 3_650 * DAY).toISOString();
  const note = { events: [{ name, key: '"a"', at, payload: { id: 'a' }, jobs }] };
  fs.writeFileSync(join(site.folder, 'noted/later.json'), `${JSON.stringify(note)}\n`);
  site.revisions.a = 'r1';
  site.start(jobOn(name, ({ event }) => void runs.push(event)));
  await site.isDone(runs, 1);
  t.is(runs.length, 1);
});

test('jobs: an action without an argument runs its jobs without one', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  const jobs = site.start(jobOn(OWN, (...args) => void runs.push(args[0])));
  await jobs.noteAction(OWN, undefined as never);
  await site.isDone(runs, 1);
  t.deepEqual(runs, [undefined]);
});

test('jobs: the argument of an action is noted as it was, and keeps no article from being noted', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  const jobs = site.start(
    jobOn('article.published', ({ article: { id } }) => void runs.push(id)),
    jobOn(OWN, (event) => void runs.push(event)),
  );
  Object.assign(site.revisions, { a: 'r1', b: 'r1' });
  const payload: typeof DONE & { self?: unknown } = { ...DONE };
  const first = jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  const own = jobs.noteAction(OWN, payload);
  const second = jobs.noteArticle('article.published', { id: 'b', timestamp: '' });
  payload.self = payload;
  await t.notThrowsAsync(Promise.all([first, own, second]));
  await site.isDone(runs, 3);
  t.is(runs.length, 3);
  t.deepEqual(
    runs.find((run) => typeof run === 'object'),
    DONE,
  );
});

test('jobs: the time for an article to be stored counts from its last delivery, also after a restart', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const adding = [
    jobOn('article.published', ({ article: { id } }) => void runs.push(id)),
    jobOn(OWN, ({ id }) => void runs.push(id)),
  ];
  const jobs = site.start(...adding);
  await jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  site.time += 2_400_000;
  await jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  await until('both notes are one', () => site.states().length === 1);
  site.time += 2_400_000;
  await jobs.close(60_000);
  const next = site.start(...adding);
  await next.noteAction(OWN, DONE);
  await until('it has been looked for', () => runs.length === 1);
  site.revisions.a = 'r1';
  site.time += 300_000;
  await site.isDone(runs, 2);
  t.deepEqual(runs, ['x', 'a']);
});

test('jobs: a cron runs when its time has come, once for what was missed, and is tried again; an edited one is not late', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  let isBroken = true;
  const add = (at: string) => (jobs: Jobs) =>
    jobs.addCron(owner, 'daily', {
      at,
      run({ attempt }) {
        runs.push(`${at} ${attempt}`);
        if (isBroken) throw new Error('no space left');
      },
    });
  const isSeen = (at: string) =>
    until('it has been seen', () => {
      const path = join(site.folder, 'crons.json');
      return fs.existsSync(path) && fs.readFileSync(path, 'utf8').includes(at);
    });
  const first = site.start(add('0 3 * * *'));
  await isSeen('0 3 ');
  await first.close(1_000);
  t.deepEqual(runs, []);
  site.time += 10 * DAY; // without a receiver
  const second = site.start(add('0 3 * * *'));
  await until('it is made up for', () => runs.length === 1);
  isBroken = false;
  site.time += 1_000;
  await site.isDone(runs, 2);
  t.deepEqual(runs, ['0 3 * * * 1', '0 3 * * * 2'], 'once for ten days');
  site.time += DAY;
  await site.isDone(runs, 3);
  await second.close(1_000);
  site.time += 2 * 3_600_000;
  site.start(add('0 13 * * *'));
  await isSeen('0 13 ');
  t.is(runs.length, 3, 'it was not to run at 13 before');
  site.time += DAY;
  await site.isDone(runs, 4);
  t.is(runs[3], '0 13 * * * 1');
});

test('jobs: a cron that does not stop runs again at its next time, and that run replaces it', async (t) => {
  const site = siteOf(t);
  const said: string[] = [];
  const write = (line: string) => void said.push(JSON.parse(line).msg);
  const ends: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => ends.push(resolve));
  const loud = { ...owner, log: pino({ level: 'warn' }, { write }) };
  site.start((jobs) => jobs.addCron(loud, 'daily', { at: '0 3 * * *', timeoutMs: 20, run }));
  await until('it has been seen', () => fs.existsSync(join(site.folder, 'crons.json')));
  for (const day of [1, 2]) {
    site.time += DAY;
    await until('it is late', () => said.filter((msg) => /does not stop after/.test(msg)).length === day);
  }
  t.is(ends.length, 2);
  t.deepEqual(site.states(), ['failed']);
  for (const end of ends) end();
});

test('jobs: neither a cron nor a failed job waits for a time that the clock has shown in error', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(
    (jobs) => jobs.addCron(owner, 'each-minute', { at: '* * * * *', run: () => void runs.push('cron') }),
    jobOn(OWN, (_event, { attempt }) => {
      runs.push(`attempt ${attempt}`);
      if (attempt === 1) throw new Error('no answer');
    }),
  );
  await until('the cron counts', () => fs.existsSync(join(site.folder, 'crons.json')));
  site.time += 3_650 * DAY;
  await jobs.noteAction(OWN, DONE);
  await until(
    'both have run, and the cron is done',
    () => runs.length === 2 && site.states().join() === 'failed',
  );
  site.time -= 3_650 * DAY;
  await until('the job is tried again', () => runs.includes('attempt 2'));
  await until('the cron runs again', () => {
    site.time += 60_000;
    return runs.at(-1) === 'cron';
  });
  t.is(runs.filter((run) => run === 'attempt 2').length, 1);
});

test('jobs: a cron that cannot be noted when its time has come is noted later, and that is logged once', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(
    (all) => all.addCron(owner, 'daily', { at: '0 3 * * *', run: () => void runs.push('daily') }),
    jobOn('article.published', () => undefined),
  );
  await until('it has been seen', () => fs.existsSync(join(site.folder, 'crons.json')));
  const notes = join(site.folder, 'noted');
  fs.rmdirSync(notes);
  fs.symlinkSync('unplugged', notes);
  site.time += DAY;
  const look = () => jobs.noteAction('article.published', { path: 'a' } as never); // the receiver looks at what is due
  await look();
  await until('it is logged', () => site.errors.length > 0);
  for (let n = 0; n < 3; n++) {
    await look();
    await setTimeout(10);
  }
  fs.mkdirSync(join(site.folder, 'unplugged'));
  await look();
  await site.isDone(runs, 1);
  t.deepEqual(site.errors, ['jobs are paused']);
});

test('jobs: since ever, one runs once for each article that is there, and not again after a restart', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const add = jobOn('article.published', ({ article: { id } }) => void runs.push(id), { since: 'ever' });
  site.revisions.old = 'r1';
  const first = site.start(add);
  await site.isDone(runs, 1);
  await first.close(1_000);
  const second = site.start(add);
  site.revisions.new = 'r1';
  await second.noteArticle('article.published', { id: 'new', timestamp: '' });
  await site.isDone(runs, 2);
  t.deepEqual(runs, ['old', 'new']);
});

test('jobs: what was given up, or waits for a job that is gone, goes after 30 days, also without a restart', async (t) => {
  const site = siteOf(t);
  const at = new Date(NOW).toISOString();
  const jobs = {
    'post.post-done': { kind: 'givenUp', attempt: 10, error: 'no answer', at },
    'post.gone': { kind: 'waiting' },
  };
  const event = { name: OWN, at, payload: DONE, jobs };
  fs.writeFileSync(join(site.folder, 'noted/0.json'), `${JSON.stringify({ events: [event] })}\n`);
  const runs: string[] = [];
  const receiver = site.start(jobOn(OWN, ({ id }) => void runs.push(id)));
  site.time += 30 * DAY;
  await receiver.noteAction(OWN, { ...LIVE, id: 'y' });
  await until('another event is done', () => runs.length === 1 && site.states().length === 2);
  t.deepEqual(site.states(), ['givenUp', 'waiting']);
  site.time += 3_600_000;
  await site.isDone(runs, 1);
  t.deepEqual(runs, ['y']);
});

test('jobs: a note that cannot be read waits, and keeps no other from running', async (t) => {
  const site = siteOf(t);
  const unreadable = join(site.folder, 'noted/0.json');
  fs.mkdirSync(unreadable);
  const runs: string[] = [];
  const jobs = site.start(jobOn(OWN, ({ id }) => void runs.push(id)));
  await jobs.noteAction(OWN, DONE);
  await until('another one is done', () => site.noted().length === 1);
  const events = [{ name: OWN, key: 'k', at: new Date(NOW).toISOString(), payload: { id: 'y' } }];
  const running = { kind: 'running', attempt: 1, since: '' };
  const text = JSON.stringify({
    events: events.map((one) => ({ ...one, jobs: { 'post.post-done': running } })),
  });
  fs.rmdirSync(unreadable);
  fs.writeFileSync(unreadable, `${text}\n`);
  await until('it is read', () => site.states().includes('failed'));
  site.time += 1_000;
  await site.isDone(runs, 2);
  t.deepEqual(runs, ['x', 'y']);
  t.deepEqual(site.errors, ['the file of an event for jobs cannot be read; its jobs wait until it can']);
});

test('jobs: a damaged note is left out, and one that a loss of power has cut, which nobody was told of, goes', async (t) => {
  const site = siteOf(t);
  for (const [name, text] of Object.entries({
    damaged: '{"events":[\n',
    empty: '',
    cut: '{"events":[{"name"',
  }))
    fs.writeFileSync(join(site.folder, `noted/${name}.json`), text);
  let runs = 0;
  const jobs = site.start(jobOn('article.live', () => void runs++));
  await jobs.noteAction('article.live', LIVE);
  await until('the job has run', () => runs === 1 && site.noted().length === 1);
  t.deepEqual(site.noted(), ['damaged.json']);
});

test('jobs: where a note cannot be written, the article is not stored, and jobs wait until it can', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(jobOn('article.published', ({ article: { id } }) => void runs.push(id)));
  site.revisions.a = 'r1';
  const notes = join(site.folder, 'noted');
  fs.rmdirSync(notes);
  fs.writeFileSync(notes, 'in the way');
  const note = async () => jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  await t.throwsAsync(note, { message: /noted/ });
  fs.rmSync(notes);
  await note();
  await site.isDone(runs, 1);
  t.deepEqual(runs, ['a']);
});
