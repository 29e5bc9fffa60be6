import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { ListedArticle } from '../../../src/host/articles/articles.js';
import type { JobEventName } from '../../../src/host/hooks/hook-types.js';
import { createTimer } from '../../../src/host/hooks/timings.js';
import { nextTime, timesOf } from '../../../src/host/jobs/crons.js';
import { type ArticleFile, createFileChanges } from '../../../src/host/jobs/file-changes.js';
import { afterEnd, afterFailure, isDue, type Job } from '../../../src/host/jobs/job.js';
import { createJobs, type Jobs } from '../../../src/host/jobs/jobs.js';
import { JOBS, openNotes, readNotes, readOpenJobs, subjectOf } from '../../../src/host/jobs/notes.js';
import { createRunner, type RunnerSite, type Work } from '../../../src/host/jobs/runner.js';
import { hideInLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const log = pino({ level: 'silent' });
const owner = {
  plugin: 'post',
  log,
  actions: [
    'article.published',
    'article.updated',
    'article.live',
    'article.created',
    'article.edited',
    'article.removed',
    'article.stateChanged',
    'deploy.done',
    'host.ready',
  ],
  timeZone: 'UTC',
};
const LIVE = { id: 'a', url: 'https://a.example/a/', path: 'content/a.md', at: '2026-03-01', ms: 5 };
const noted = (folder: string) =>
  fs.existsSync(join(folder, 'noted')) ? fs.readdirSync(join(folder, 'noted')) : [];
const statesIn = (folder: string) =>
  readNotes(join(folder, 'noted')).flatMap(({ events }) =>
    events.flatMap(({ jobs }) => Object.values(jobs).map(({ kind }) => kind)),
  );
const isEmpty = (folder: string) => () => noted(folder).length === 0;

/** Articles of a site, by their ids, with revisions; and their files. */
function articlesOf(
  revisions: Record<string, string>,
  files: ReadonlyMap<string, ArticleFile> = new Map(),
): RunnerSite {
  return {
    files: () => files.values(),
    file: (path) => files.get(path),
    get: async (id) => {
      const revision = revisions[id];
      return revision === undefined ? undefined : ({ id, revision, date: 'of the file' } as ListedArticle);
    },
    ids: () => Object.keys(revisions),
    hasCommit: async () => false,
  };
}

interface Site {
  readonly folder: string;
  readonly revisions: Record<string, string>;
  /** By their paths. */
  readonly files: Map<string, ArticleFile>;
  /** Ms since 1970. */
  time: number;
  /** Starts a receiver's jobs. */
  start(add: (jobs: Jobs) => void): Jobs;
}

function siteOf(t: ExecutionContext): Site {
  const folder = join(tempDir(t), JOBS);
  fs.mkdirSync(folder);
  const site: Site = {
    folder,
    revisions: {},
    files: new Map(),
    time: NOW,
    start(add) {
      const jobs = createJobs({ folder: site.folder, log, now: () => site.time });
      add(jobs);
      jobs.start(articlesOf(site.revisions, site.files));
      t.teardown(() => jobs.close(1_000));
      return jobs;
    },
  };
  return site;
}

function jobOn<N extends JobEventName>(on: N, run: Job<N>['run'], rest: Partial<Job<N>> = {}) {
  return (jobs: Jobs) => jobs.addJob(owner, 'announce', { on, run, ...rest });
}

test('jobs: after each failure the pause is longer, and after ten the event is given up', (t) => {
  const pauses: number[] = [];
  for (let attempt = 1; attempt < 10; attempt++) {
    const state = afterFailure(attempt, 'no answer', NOW);
    if (state.kind !== 'failed') return t.fail(state.kind);
    t.like(state, { attempt, error: 'no answer' });
    pauses.push(Date.parse(state.nextAt) - NOW);
    t.false(isDue(state, Date.parse(state.nextAt) - 1));
    t.true(isDue(state, Date.parse(state.nextAt)));
  }
  t.deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  );
  t.deepEqual([pauses[0], pauses.at(-1)], [1_000, 86_400_000]);
  const last = afterFailure(10, 'x'.repeat(9_999), NOW);
  t.is(last.kind, 'givenUp');
  t.is('error' in last && last.error.length, 500);
  t.false(isDue(last, Number.MAX_SAFE_INTEGER));
});

test('jobs: a job begins while articles keep coming, too', async (t) => {
  const site = siteOf(t);
  site.revisions.a = 'r1';
  let isRun = false;
  const jobs = site.start(jobOn('article.live', () => (isRun = true)));
  const coming = setInterval(
    () => jobs.noteArticle('article.published', { id: 'b', timestamp: '2026-03-01' }),
    5,
  );
  t.teardown(() => clearInterval(coming));
  await jobs.noteAction('article.live', LIVE);
  await until('the job has run', () => isRun);
  t.true(isRun);
});

test('jobs: what ran when its receiver ended has failed; what waited, waits', (t) => {
  const running = { kind: 'running', attempt: 2, since: '2026-03-01' } as const;
  const error = 'the receiver ended while this ran';
  t.like(afterEnd(running, NOW), { kind: 'failed', attempt: 2, error, nextAt: '2026-03-01T12:00:10.000Z' });
  t.deepEqual(afterEnd({ kind: 'waiting' }, NOW), { kind: 'waiting' });
  t.true(isDue({ kind: 'waiting' }, NOW));
  t.false(isDue(running, NOW));
});

test('jobs: a cron that was missed is due once, and follows the clock of its time zone', (t) => {
  const at = (text: string) => Date.parse(text);
  const iso = (ms: number) => new Date(ms).toISOString();
  const nightly = timesOf('30 2 * * *', 'Europe/Zurich');
  const now = at('2026-01-10T12:00:00Z');
  t.is(iso(nextTime(nightly, undefined, now)), '2026-01-11T01:30:00.000Z', 'not seen before: not late');
  t.is(iso(nextTime(nightly, at('2026-01-03T01:30:00Z'), now)), '2026-01-04T01:30:00.000Z', 'late');
  t.is(iso(nextTime(nightly, now, now)), '2026-01-11T01:30:00.000Z', 'run: no longer late');
  t.is(
    iso(nextTime(nightly, at('2027-01-01T00:00:00Z'), now)),
    '2026-01-11T01:30:00.000Z',
    'a clock set back',
  );
  t.is(
    iso(
      nextTime(timesOf('0 3 * * *', 'Europe/Zurich'), at('2026-03-28T12:00:00Z'), at('2026-03-28T12:00:00Z')),
    ),
    '2026-03-29T01:00:00.000Z',
    'summer time',
  );
});

test('jobs: what is no job is refused in words that name plugin and job', (t) => {
  const run = () => undefined;
  const job = (name: unknown, what: unknown) => (jobs: Jobs) =>
    jobs.addJob(owner, name, what as Job<'article.live'>);
  const cron = (name: unknown, what: unknown) => (jobs: Jobs) =>
    jobs.addCron(owner, name, what as { at: string; run(): void });
  const refused: [(jobs: Jobs) => void, string][] = [
    [job('a', undefined), 'job "a": write an object with on, since, timeoutMs, run'],
    [
      job('a', { on: 'article.lives', run }),
      'job "a": there is no action "article.lives"; did you mean article.live?',
    ],
    [job('a', { on: 'host.ready', run }), 'job "a": no job can be on host.ready; use addAction'],
    [
      job('a', { on: 'article.live', run, when: 1 }),
      'job "a": it has "when", and can have on, since, timeoutMs, run alone',
    ],
    [job('a', { on: 'article.live' }), 'job "a": its run is not a function'],
    [job('A b', { on: 'article.live', run }), 'job "A b": name it in lower-case letters, digits and hyphens'],
    [
      job('a', { on: 'article.live', run, since: 'now' }),
      `job "a": its since is "now"; write 'activation' or 'ever'`,
    ],
    [
      job('a', { on: 'article.live', run, since: 'ever' }),
      `job "a": since: 'ever' is for article.published alone: nothing tells what else has happened`,
    ],
    [
      job('a', { on: 'article.live', run, timeoutMs: 0 }),
      'job "a": its timeoutMs is "0"; it must be a number of milliseconds',
    ],
    [
      cron('a', { at: '0 3 * *', run }),
      'cron "a": its at is "0 3 * *": write five fields, such as 0 3 * * *',
    ],
    [
      cron('a', { at: '61 3 * * *', run }),
      'cron "a": its at is "61 3 * * *": Invalid value for minute: 61; write five fields, such as 0 3 * * *',
    ],
    [
      cron('a', { at: '0 0 30 2 *', run }),
      'cron "a": its at is "0 0 30 2 *": there is no such time; write five fields, such as 0 3 * * *',
    ],
    [
      cron('a', { at: '0 3 * * *', timeZone: 'Mars/X', run }),
      'cron "a": its at is "0 3 * * *": there is no time zone Mars/X; write a name such as Europe/Zurich',
    ],
    [cron('a', { run }), 'cron "a": its at is "undefined": write five fields, such as 0 3 * * *'],
  ];
  for (const [add, words] of refused) {
    const jobs = createJobs({ folder: '/nowhere', log });
    t.throws(() => add(jobs), { message: `plugin post: ${words}` });
  }
  const jobs = createJobs({ folder: '/nowhere', log });
  cron('a', { at: '0 3 * * *', run })(jobs);
  t.throws(() => job('a', { on: 'article.live', run })(jobs), {
    message: 'plugin post: job "a": there is another job or cron of this name; rename one',
  });
});

test('jobs: an event is noted, run once and forgotten', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  let seen: readonly string[] = [];
  const jobs = site.start(
    jobOn('article.live', (event, { attempt, signal }) => {
      seen = noted(site.folder);
      runs.push([event, attempt, signal.aborted]);
    }),
  );
  await jobs.noteAction('article.live', LIVE);
  await until('the job has run and its note is gone', () => runs.length > 0 && isEmpty(site.folder)());
  t.deepEqual(runs, [[LIVE, 1, false]]);
  t.is(seen.length, 1, 'while it runs, its note is there');
  await jobs.noteAction('article.live', LIVE);
  await jobs.noteAction('article.live', { ...LIVE, at: 'later' });
  await until('the other event is done', () => runs.length > 1 && isEmpty(site.folder)());
  t.deepEqual(
    runs.slice(1),
    [[{ ...LIVE, at: 'later' }, 1, false]],
    'what two receivers have seen is one event',
  );
  await jobs.noteAction('deploy.done', { target: 'x', ms: 1 });
  t.deepEqual(noted(site.folder), [], 'no job is on this');
});

test('jobs: one that fails is tried again, and the events behind it do not wait', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(
    jobOn('article.live', ({ id }, { attempt }) => {
      runs.push(`${id} ${attempt}`);
      if (id === 'a' && attempt < 3) throw new Error('no answer');
    }),
  );
  await Promise.all(['a', 'b'].map((id) => jobs.noteAction('article.live', { ...LIVE, id, path: id })));
  await until('both were tried', () => runs.length === 2);
  site.time += 1_000;
  await until('the second attempt', () => runs.length === 3);
  site.time += 10_000;
  await until('the third attempt', () => isEmpty(site.folder)());
  t.deepEqual(runs, ['a 1', 'b 1', 'a 2', 'a 3']);
});

test('jobs: a person has a failed event run again at once, also one that was given up, by any receiver', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  let isBroken = true;
  const add = jobOn('deploy.done', ({ target }, { attempt }) => {
    runs.push(`${target} ${attempt}`);
    if (isBroken) throw new Error('no answer');
  });
  const open = () => readOpenJobs(join(site.folder, '..')).filter(({ state }) => state.kind !== 'running');
  const leader = site.start(add);
  await leader.noteAction('deploy.done', { target: 'x', ms: 1 });
  await until('it has failed', () => open().some(({ state }) => state.kind === 'failed'));
  const other = site.start(add);
  const { job = '', key = '' } = open()[0] ?? {};
  await other.runAgain(job, key);
  await until(
    'it has run again, before its time, and failed',
    () => runs.length === 2 && open().length === 1,
  );
  t.deepEqual(runs, ['x 1', 'x 1'], 'as if for the first time');
  for (let attempt = 2; attempt <= 10; attempt++) {
    await until('it has failed again', () => open()[0]?.state.kind === 'failed');
    site.time += 86_400_000;
    await until('it was tried', () => runs.length === attempt + 1);
  }
  await until('it is given up', () => open()[0]?.state.kind === 'givenUp');
  isBroken = false;
  await leader.runAgain(job, key);
  await until('it is done', isEmpty(site.folder));
  t.is(runs.at(-1), 'x 1');
  t.is(runs.length, 12);
  await t.throwsAsync(leader.runAgain(job, key), { code: 'USAGE', message: /post\.announce has nothing/ });
});

test('jobs: a wish that comes when the event is done runs nothing', async (t) => {
  const site = siteOf(t);
  let runs = 0;
  const jobs = site.start(jobOn('deploy.done', () => void runs++));
  await openNotes(join(site.folder, 'noted')).add({
    name: 'deploy.done',
    key: 'gone',
    at: new Date(NOW).toISOString(),
    payload: { target: 'x' },
    again: true,
    jobs: { 'post.announce': { kind: 'waiting' } },
  });
  await jobs.noteAction('deploy.done', { target: 'y', ms: 1 });
  await until('all notes are gone', () => runs > 0 && isEmpty(site.folder)());
  t.is(runs, 1);
});

test('jobs: the error that is kept of a failed one does not show a secret of its plugin', async (t) => {
  const site = siteOf(t);
  hideInLog('key "of the" chat');
  const run = () => {
    throw new Error('POST https://chat.example/key "of the" chat/send has failed');
  };
  const jobs = site.start(jobOn('article.live', run));
  await jobs.noteAction('article.live', LIVE);
  const kept = () => {
    const texts = noted(site.folder).map((file) => fs.readFileSync(join(site.folder, 'noted', file), 'utf8'));
    return texts.find((text) => text.includes('has failed'));
  };
  await until('the failure is noted', () => kept() !== undefined);
  t.regex(kept() ?? '', /chat\.example\/\[redacted\]\/send has failed/);
});

test('jobs: one that takes too long has failed, its signal says so, and its next attempt waits for its end', async (t) => {
  const site = siteOf(t);
  let reason: unknown;
  let end: () => void = () => undefined;
  let inside = 0;
  const attempts: string[] = [];
  const others: string[] = [];
  const jobs = site.start((all) => {
    all.addJob(owner, 'announce', {
      on: 'article.live',
      timeoutMs: 20,
      async run(_event, { attempt, signal }) {
        attempts.push(`${attempt}, ${inside++} others`);
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        if (attempt === 1)
          await new Promise<void>((resolve) => {
            end = resolve;
          });
        inside--;
      },
    });
    all.addJob(owner, 'other', { on: 'deploy.done', run: ({ target }) => void others.push(target) });
  });
  await jobs.noteAction('article.live', LIVE);
  await until('the signal comes', () => reason !== undefined);
  t.is((reason as Error).message, 'the job took longer than 0.02 s');
  await until('its failure is noted', () => statesIn(site.folder).includes('failed'));
  site.time += 1_000;
  await jobs.noteAction('deploy.done', { target: 'x', ms: 1 });
  await until('another job is begun after it', () => others.length === 1);
  t.deepEqual(attempts, ['1, 0 others']);
  end();
  await until('the second attempt', isEmpty(site.folder));
  t.deepEqual(attempts, ['1, 0 others', '2, 0 others']);
});

test('jobs: of two receivers on a folder one runs the jobs, and the other goes on when it has ended', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const receiver = (name: string) =>
    site.start(jobOn('article.live', ({ id }) => void runs.push(`${name} ${id}`)));
  const first = receiver('first');
  await first.noteAction('article.live', { ...LIVE, id: '0', path: '0' });
  await until('the first one leads', () => runs.length === 1);
  const second = receiver('second');
  for (let n = 1; n <= 10; n++)
    await (n % 2 === 0 ? first : second).noteAction('article.live', {
      ...LIVE,
      id: String(n),
      path: String(n),
    });
  await until('all are done', () => runs.length === 11 && isEmpty(site.folder)());
  t.deepEqual(runs.toSorted(), Array.from({ length: 11 }, (_, n) => `first ${n}`).toSorted());
  await first.close(1_000);
  await second.noteAction('article.live', { ...LIVE, id: 'x', path: 'x' });
  await until('the second one goes on', () => runs.length === 12 && isEmpty(site.folder)());
  t.is(runs.at(-1), 'second x');
});

/** Has a file written, or removed, and the receivers see it. */
async function change(
  site: Site,
  path: string,
  next: Partial<ArticleFile> | undefined,
  seenBy: readonly Jobs[],
) {
  const before = site.files.get(path);
  const file = { path, id: path, url: `https://a.example/${path}/`, version: '1', ...before, ...next };
  if (next === undefined) site.files.delete(path);
  else site.files.set(path, file);
  const { version: _, state = 'live', ...payload } = file;
  for (const jobs of seenBy) {
    if (next === undefined) await jobs.noteAction('article.removed', payload);
    else if (next.version !== undefined)
      await jobs.noteAction(before === undefined ? 'article.created' : 'article.edited', payload);
    if (next?.state !== undefined) await jobs.noteAction('article.stateChanged', { ...payload, state });
  }
}

/** Jobs on all that follows from files; each run is a line. */
function onFiles(runs: string[]) {
  return (jobs: Jobs) => {
    for (const what of ['created', 'edited', 'removed'] as const)
      jobs.addJob(owner, what, { on: `article.${what}`, run: ({ id }) => void runs.push(`${what} ${id}`) });
    const run = ({ id, state }: { id: string; state: string }) => void runs.push(`${state} ${id}`);
    jobs.addJob(owner, 'state', { on: 'article.stateChanged', run });
  };
}

test('jobs: what several receivers see of the files is told once, also what none has noted before it ended', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  await change(site, 'old', { version: '1' }, []);
  const first = site.start(onFiles(runs));
  await until('it leads', () => fs.existsSync(join(site.folder, 'articles.jsonl')));
  const second = site.start(onFiles(runs));
  const both = [first, second];
  await change(site, 'a', { version: '1' }, both);
  await until('the first event is done', () => runs.length > 0 && isEmpty(site.folder)());
  await change(site, 'a', { version: '2', state: 'held' }, both);
  await change(site, 'old', undefined, both);
  await until('all are done', () => runs.length >= 4 && isEmpty(site.folder)());
  t.deepEqual(runs.splice(0).toSorted(), ['created a', 'edited a', 'held a', 'removed old']);

  await first.close(1_000);
  await change(site, 'a', { state: 'live' }, [second]); // which does not lead yet
  await until('the second one tells it', () => runs.length > 0 && isEmpty(site.folder)());
  await second.close(1_000);
  await change(site, 'b', { version: '1', state: 'scheduled' }, []);
  await change(site, 'a', undefined, []);
  const third = site.start(onFiles(runs));
  await until('the next start finds what changed before', () => runs.length >= 4 && isEmpty(site.folder)());
  await third.close(1_000);
  t.deepEqual(runs.splice(0).toSorted(), ['created b', 'live a', 'removed a', 'scheduled b']);

  const without = site.start(jobOn('deploy.done', () => undefined));
  await without.close(1_000);
  await change(site, 'c', { version: '1' }, []);
  const fourth = site.start(onFiles(runs));
  await until('it leads', () => fs.existsSync(join(site.folder, 'articles.jsonl')));
  await change(site, 'd', { version: '1' }, [fourth]);
  await until('it tells what is new', () => runs.length > 0 && isEmpty(site.folder)());
  t.deepEqual(runs, ['created d'], 'what changed while no job was on it is no event');
});

test('jobs: of what a delivery does to a file, only the state is told as a change of the file', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start(onFiles(runs));
  await until('it leads', () => fs.existsSync(join(site.folder, 'articles.jsonl')));
  await change(site, 'a', { version: '1', state: 'held' }, []);
  await change(site, 'b', { version: '1' }, []);
  for (const path of ['a', 'b']) await jobs.noteAction('article.published', { path } as never);
  await until('it is told', () => runs.length > 0 && isEmpty(site.folder)());
  await jobs.close(1_000);
  const next = site.start(onFiles(runs));
  await change(site, 'c', { version: '1' }, [next]);
  await until('another event is done', () => runs.length > 1 && isEmpty(site.folder)());
  t.deepEqual(runs, ['held a', 'created c']);
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
  t.is(noted(site.folder).length, 1);
  site.start(jobOn('article.live', (_event, { attempt }) => void attempts.push(attempt)));
  await until('it is done', isEmpty(site.folder));
  t.deepEqual(attempts, [1, 1]);
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
  const second = site.start(jobOn('article.live', (_event, { attempt }) => void attempts.push(attempt)));
  await second.noteAction('article.live', { ...LIVE, path: 'other' });
  await setTimeout(2_500); // the lock is tried for every two seconds
  t.deepEqual(attempts, [1], 'no other receiver runs it meanwhile');
  end();
  await until('all is done', isEmpty(site.folder));
  t.deepEqual(attempts, [1, 1], 'it was done when it ended, however late');
});

test('jobs: an article is noted before it is stored; the job waits for it, or forgets it', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  const jobs = site.start((all) => {
    all.addJob(owner, 'published', { on: 'article.published', run: (event) => void runs.push(event) });
    all.addJob(owner, 'updated', { on: 'article.updated', run: (event) => void runs.push(event) });
  });
  const timestamp = '2026-03-01T11:59:59Z';
  await jobs.noteArticle('article.published', { id: 'a', timestamp });
  await jobs.noteArticle('article.published', { id: 'a', timestamp }); // the delivery failed, and was sent again
  await jobs.noteArticle('article.published', { id: 'never', timestamp });
  site.revisions.a = 'r1';
  site.time += 1_000; // it may have been looked for before
  await until('it is published', () => runs.length === 1);
  t.deepEqual(runs, [
    {
      event: 'article.published',
      article: { id: 'a', revision: 'r1', date: 'of the file' },
      timestamp,
      at: new Date(NOW).toISOString(),
    },
  ]);

  await jobs.noteArticle('article.updated', { id: 'a', base: 'r1', timestamp });
  site.revisions.a = 'r2';
  site.time += 1_000;
  await until('it is updated', () => runs.length === 2);
  t.like(runs[1], { event: 'article.updated', article: { revision: 'r2' } });
  site.time += 1_000_000;
  await jobs.noteArticle('article.updated', { id: 'a', base: 'r2', timestamp });
  site.time += 1_000_000; // a push to a slow remote takes that long
  site.revisions.b = 'r1';
  await jobs.noteArticle('article.published', { id: 'b', timestamp });
  await until('it has been looked for', () => runs.length === 3);
  site.revisions.a = 'r3';
  site.time += 1_000_000;
  await until('the slow one is done, too', () => runs.length === 4);
  site.time += 3_600_001;
  await until('the other one is forgotten', isEmpty(site.folder));
  t.is(runs.length, 4);
});

test('jobs: an article whose store failed is an event when it comes again, also long after its first note', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const add = (all: Jobs) => {
    jobOn('article.published', ({ article: { id } }) => void runs.push(id))(all);
    all.addJob(owner, 'other', { on: 'deploy.done', run: ({ target }) => void runs.push(target) });
  };
  const jobs = site.start(add);
  const note = async () => jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  await note();
  site.time += 3_600_001;
  await until('what was not stored is forgotten', isEmpty(site.folder));
  await note();
  site.time += 2_400_000;
  await note();
  await until('the third note is taken together with the second', () => statesIn(site.folder).length === 1);
  site.time += 2_400_000;
  await jobs.close(60_000);
  const next = site.start(add);
  await next.noteAction('deploy.done', { target: 'x', ms: 1 });
  await until('it has been looked for', () => runs.length === 1);
  site.revisions.a = 'r1';
  site.time += 300_000;
  await until('it is published', isEmpty(site.folder));
  t.deepEqual(runs, ['x', 'a']);
});

test('jobs: since ever, a job runs once for each article that is there, also where the listing was cut off', async (t) => {
  const site = siteOf(t);
  for (let n = 0; n < 250; n++) site.revisions[`a${n}`] = 'r';
  const runs: string[] = [];
  const since = { since: 'ever' } as const;
  // As it is left by a receiver that was killed while it noted them.
  fs.mkdirSync(join(site.folder, 'noted'));
  const event = (id: string) => ({
    name: 'article.published',
    key: JSON.stringify(id),
    at: '',
    payload: { id },
    jobs: { 'post.announce': { kind: 'waiting' } },
  });
  fs.writeFileSync(
    join(site.folder, 'noted/0.json'),
    `${JSON.stringify({ events: [event('a0'), event('a7')] })}\n`,
  );
  const add = jobOn(
    'article.published',
    ({ article, timestamp }) => void runs.push(`${article.id} ${timestamp}`),
    since,
  );
  const first = site.start(add);
  await until('all are done', () => runs.length >= 250 && isEmpty(site.folder)());
  await first.close(1_000);
  const second = site.start(add);
  site.revisions.new = 'r';
  await second.noteArticle('article.published', { id: 'new', timestamp: 'now' });
  await until('the new one is done', () => runs.length > 250 && isEmpty(site.folder)());
  t.deepEqual(
    runs.toSorted(),
    [...Array.from({ length: 250 }, (_, n) => `a${n} of the file`), 'new now'].toSorted(),
  );
});

test('jobs: a cron runs when its time has come, once for what was missed, and is tried again', async (t) => {
  const site = siteOf(t);
  const attempts: number[] = [];
  let isBroken = true;
  const add = (jobs: Jobs) =>
    jobs.addCron(owner, 'nightly', {
      at: '0 3 * * *',
      run: ({ attempt }) => {
        attempts.push(attempt);
        if (isBroken) throw new Error('no space left');
      },
    });
  const first = site.start(add);
  await until('it has been seen', () => fs.existsSync(join(site.folder, 'crons.json')));
  await first.close(1_000);
  t.deepEqual(attempts, []);
  site.time += 10 * 86_400_000; // ten days without a receiver
  site.start(add);
  await until('it is made up for', () => attempts.length === 1);
  isBroken = false;
  site.time += 1_000;
  await until('it is tried again', () => attempts.length === 2 && isEmpty(site.folder)());
  t.deepEqual(attempts, [1, 2], 'once for ten days');
  site.time += 86_400_000;
  await until('the next day', () => attempts.length === 3 && isEmpty(site.folder)());
  t.deepEqual(attempts, [1, 2, 1]);
});

test('jobs: a cron that cannot be noted when its time has come is noted later, and it is logged once', async (t) => {
  const folder = tempDir(t);
  const clock = { now: NOW };
  const notes = openNotes(join(folder, 'noted'));
  const lines: string[] = [];
  let faults = 2;
  let runs = 0;
  const work: Work = {
    id: 'post.nightly',
    plugin: 'post',
    on: 'cron',
    isForAll: false,
    times: timesOf('0 3 * * *', 'UTC'),
    timeoutMs: 1_000,
    timer: createTimer(),
    log,
    call: () => runs++,
  };
  const runner = createRunner({
    folder,
    works: new Map([[work.id, work]]),
    log: pino({ level: 'error' }, { write: (line) => lines.push(line) }),
    now: () => clock.now,
    quiet: async () => undefined,
    changes: createFileChanges(folder, async () => undefined),
    notes: {
      ...notes,
      add: async (event) => {
        if (faults-- > 0) throw new Error('no space left');
        await notes.add(event);
      },
    },
  });
  t.teardown(() => runner.close(1_000));
  runner.start(articlesOf({}));
  await until('it has been seen', () => fs.existsSync(join(folder, 'crons.json')));
  clock.now += 86_400_000;
  await until('it has run', () => runs === 1 && isEmpty(folder)());
  t.is(faults, -1);
  t.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['jobs are paused'],
  );
});

test('jobs: a regular time has a failed run of a cron tried at once, as if for the first time', async (t) => {
  const site = siteOf(t);
  const attempts: number[] = [];
  let isBroken = true;
  site.start((jobs) =>
    jobs.addCron(owner, 'often', {
      at: '* * * * *',
      run({ attempt }) {
        attempts.push(attempt);
        if (isBroken) throw new Error('no space left');
      },
    }),
  );
  await until('it has been seen', () => fs.existsSync(join(site.folder, 'crons.json')));
  site.time += 60_000;
  for (const [n, pause] of [1_000, 10_000, 0].entries()) {
    await until(
      `attempt ${n + 1} has failed`,
      () => attempts.length === n + 1 && statesIn(site.folder).join() === 'failed',
    );
    site.time += pause;
  }
  isBroken = false;
  site.time = NOW + 120_000; // the fourth attempt would be later
  await until('the regular time', isEmpty(site.folder));
  t.deepEqual(attempts, [1, 2, 3, 1]);
});

test('jobs: an edited cron is not late for times of its new pattern', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const add = (at: string) => (jobs: Jobs) => {
    jobs.addCron(owner, 'daily', { at, run: () => void runs.push(at) });
    jobs.addJob(owner, 'other', { on: 'deploy.done', run: ({ target }) => void runs.push(target) });
  };
  const first = site.start(add('0 3 * * *'));
  await until('it has been seen', () => fs.existsSync(join(site.folder, 'crons.json')));
  await first.close(60_000);
  site.time += 2 * 3_600_000;
  const second = site.start(add('0 13 * * *'));
  await second.noteAction('deploy.done', { target: 'x', ms: 1 });
  await until('the other job is done', () => runs.includes('x') && isEmpty(site.folder)());
  t.deepEqual(runs, ['x']);
  site.time += 86_400_000;
  await until('the new time', () => runs.length === 2 && isEmpty(site.folder)());
  t.deepEqual(runs, ['x', '0 13 * * *']);
});

test('jobs: what was given up, or waits for a job that is gone, goes after 30 days, also without a restart', async (t) => {
  const site = siteOf(t);
  const at = new Date(NOW).toISOString();
  fs.mkdirSync(join(site.folder, 'noted'));
  const states = {
    'post.announce': { kind: 'givenUp', attempt: 10, error: 'no answer', at },
    'post.gone': { kind: 'waiting' },
  };
  const event = { name: 'deploy.done', at, payload: { target: 'x' }, jobs: states };
  fs.writeFileSync(join(site.folder, 'noted/0.json'), `${JSON.stringify({ events: [event] })}\n`);
  const runs: string[] = [];
  const jobs = site.start(jobOn('deploy.done', ({ target }) => void runs.push(target)));
  site.time += 30 * 86_400_000;
  await jobs.noteAction('deploy.done', { target: 'y', ms: 1 });
  await until('another event is done', () => runs.length === 1 && statesIn(site.folder).length === 2);
  t.deepEqual(statesIn(site.folder), ['givenUp', 'waiting']);
  site.time += 3_600_000;
  await until('both are gone', isEmpty(site.folder));
  t.deepEqual(runs, ['y']);
});

test('jobs: an action that hands over nothing is an event', async (t) => {
  const site = siteOf(t);
  const runs: unknown[] = [];
  const jobs = site.start(jobOn('deploy.done', (event) => void runs.push(event)));
  for (const nothing of [null, undefined]) await jobs.noteAction('deploy.done', nothing as never);
  await until('both are done', () => runs.length === 2 && isEmpty(site.folder)());
  t.deepEqual(runs, [null, undefined]);
  t.deepEqual([null, undefined, 'text', { id: 1 }, { target: 'x' }].map(subjectOf), [
    undefined,
    undefined,
    undefined,
    undefined,
    'x',
  ]);
});

test('jobs: a damaged note is left out, and the jobs of others run', async (t) => {
  const site = siteOf(t);
  fs.mkdirSync(join(site.folder, 'noted'));
  fs.writeFileSync(join(site.folder, 'noted/0.json'), '{"events":[\n');
  let runs = 0;
  const jobs = site.start(jobOn('article.live', () => void runs++));
  await jobs.noteAction('article.live', LIVE);
  await until('the job has run', () => runs === 1 && noted(site.folder).length === 1);
  t.deepEqual(noted(site.folder), ['0.json']);
});

test('jobs: a note that a loss of power has cut was never acknowledged, and goes without a word', async (t) => {
  const site = siteOf(t);
  const folder = join(site.folder, 'noted');
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ empty: '', cut: '{"events":[{"name":"article.live"' }))
    fs.writeFileSync(join(folder, `${name}.json`), text);
  site.start((all) => all.addJob(owner, 'live', { on: 'article.live', run: () => t.fail() }));
  await until('both are gone', isEmpty(site.folder));
  t.pass();
});

test('jobs: where a note cannot be written, the article is not stored, and jobs wait until it can', async (t) => {
  const site = siteOf(t);
  const runs: string[] = [];
  const jobs = site.start((all) => {
    all.addJob(owner, 'published', {
      on: 'article.published',
      run: ({ article: { id } }) => void runs.push(id),
    });
    all.addJob(owner, 'edited', { on: 'article.live', run: ({ id }) => void runs.push(id) });
  });
  site.revisions.a = 'r1';
  fs.writeFileSync(join(site.folder, 'noted'), 'in the way');
  await t.throwsAsync(async () => jobs.noteArticle('article.published', { id: 'a', timestamp: '' }), {
    message: /noted/,
  });
  await jobs.noteAction('article.live', LIVE); // is logged
  fs.rmSync(join(site.folder, 'noted'));
  await jobs.noteArticle('article.published', { id: 'a', timestamp: '' });
  await until('the job runs', () => runs.length > 0 && isEmpty(site.folder)());
  t.deepEqual(runs, ['a']);
});
