import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { ListedArticle } from '../../../src/host/articles/articles.js';
import { createJobs } from '../../../src/host/jobs/jobs.js';
import { readNotes } from '../../../src/host/jobs/notes.js';
import { copyAtEachSync } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const log = pino({ level: 'silent' });

/** What the jobs of a receiver are about. */
interface Site {
  /** In ms since 1970. */
  now: number;
  readonly articles: Set<string>;
}

/** What a killed receiver has left, what had run by then, and whether it had promised what the test asks of it. */
interface Moment extends Site {
  readonly copy: string;
  readonly runs: readonly string[];
  readonly isPromised: boolean;
}

/** An action that a plugin has declared; its argument is for that plugin to say. */
const OWN = 'post.done' as 'article.live';

const HALF_PAST = Date.parse('2026-03-01T12:00:30Z');

const doneOf = (id: string) => ({ id, url: '', path: '', at: '', ms: 1 });

/** A receiver's jobs on everything, and what they were run for. */
function start(folder: string, site: Site, fails = () => false) {
  const runs: string[] = [];
  const actions = ['article.published', OWN];
  const owner = { plugin: 'post', log, actions, timeZone: 'UTC' };
  const jobs = createJobs({ folder, log, now: () => site.now });
  jobs.addJob(owner, 'article', {
    on: 'article.published',
    since: 'ever',
    run: ({ article: { id } }) => void runs.push(id),
  });
  jobs.addJob(owner, 'own', {
    on: OWN,
    run: ({ id }) => {
      if (id !== 'y' && fails()) throw new Error('no answer');
      runs.push(id);
    },
  });
  jobs.addCron(owner, 'each-minute', { at: '* * * * *', run: () => void runs.push('minute') });
  jobs.start({
    get: async (id) =>
      site.articles.has(id) ? ({ id, revision: '1', date: '' } as ListedArticle) : undefined,
    ids: () => site.articles,
  });
  return { ...jobs, runs, folder };
}

type Started = ReturnType<typeof start>;

const openIn = (folder: string) =>
  readNotes(join(folder, 'noted')).flatMap(({ events }) =>
    events.flatMap(({ key, jobs }) => Object.values(jobs).map((state) => ({ key, state }))),
  );

const isDone = (folder: string) => () =>
  fs.existsSync(join(folder, 'noted')) &&
  !fs.readdirSync(join(folder, 'noted')).some((name) => name.endsWith('.json'));

/** What the folder holds at each write of a receiver, until it has done what it is asked. */
async function killed(
  t: ExecutionContext,
  act: (first: Started, site: Site, promise: () => void) => Promise<void>,
  given: Partial<Site> = {},
  fails?: () => boolean,
): Promise<readonly Moment[]> {
  const [folder, copies] = [tempDir(t), tempDir(t)];
  const site = { now: HALF_PAST, articles: new Set<string>(), ...given };
  let isPromised = false;
  let runs: readonly string[] = [];
  const { take, stop } = copyAtEachSync(folder, copies, () => ({
    now: site.now,
    articles: new Set(site.articles),
    runs: [...runs],
    isPromised,
  }));
  const first = start(folder, site, fails);
  runs = first.runs;
  await act(first, site, () => {
    isPromised = true;
    take();
  });
  const moments = stop();
  await first.close(60_000);
  return moments;
}

/** What has run by the end, if another receiver goes on with what a killed one has left. */
async function runsAfter({ copy, runs, ...left }: Moment, ms: number): Promise<string[]> {
  const site = { ...left };
  const next = start(copy, site);
  await next.noteAction(OWN, doneOf('y'));
  await until('the next event is done', () => next.runs.includes('y'));
  site.now += ms;
  const isDue = ({ state }: ReturnType<typeof openIn>[number]) =>
    state.kind !== 'failed' || Date.parse(state.nextAt) <= site.now;
  await until('all is done that is due', () => !openIn(copy).some(isDue));
  await next.close(60_000);
  return [...runs, ...next.runs];
}

const times = (runs: readonly string[], one: string) => runs.filter((run) => run === one).length;

/** Whether a receiver that is killed again and again would have told of it often enough, and not too often. */
const isTold = (runs: readonly string[], one: string) => [1, 2].includes(times(runs, one));

/** @param ms how much later the next receiver looks. @param isRight whether what has run by the end is right. */
async function check(
  t: ExecutionContext,
  moments: readonly Moment[],
  ms: number,
  isRight: (runs: readonly string[], moment: Moment) => boolean,
) {
  t.true(moments.length >= 7, `${moments.length} moments`);
  t.true(moments.some(({ isPromised }) => isPromised));
  // Each waits most of the time.
  await Promise.all(
    moments.map(async (moment, n) => {
      const runs = await runsAfter(moment, ms);
      t.is(times(runs, 'y'), 1, `moment ${n}`);
      t.true(isRight(runs, moment), `moment ${n}, isPromised: ${moment.isPromised}: ${runs}`);
    }),
  );
}

test.serial(
  'jobs: a receiver that is killed at any write loses no article, old or new, and runs none more than twice',
  async (t) => {
    const act = async (first: Started, site: Site, promise: () => void) => {
      await until('the old one is done', () => first.runs.includes('old'));
      await first.noteArticle('article.published', { id: 'new', timestamp: '' });
      site.articles.add('new');
      promise();
      site.now += 1_000;
      await until('the new one is done', () => first.runs.includes('new') && isDone(first.folder)());
    };
    await check(
      t,
      await killed(t, act, { articles: new Set(['old']) }),
      3_601_000,
      (runs, { articles }) =>
        isTold(runs, 'old') && (articles.has('new') ? isTold(runs, 'new') : !runs.includes('new')),
    );
  },
);

test.serial('jobs: a receiver that is killed at any write misses no time of a cron', async (t) => {
  const moments = await killed(t, async (first, site, promise) => {
    await until('it has been seen', () => fs.existsSync(join(first.folder, 'crons.json')));
    site.now += 60_000;
    promise();
    await until('the minute is done', () => first.runs.includes('minute') && isDone(first.folder)());
  });
  await check(t, moments, 1_000, (runs, { isPromised }) =>
    isPromised ? isTold(runs, 'minute') : !runs.includes('minute'),
  );
});

test.serial(
  'jobs: a receiver that is killed at any write does not forget that a person wants a job to be run again',
  async (t) => {
    let isFailing = true;
    const act = async (first: Started, site: Site, promise: () => void) => {
      await first.noteAction(OWN, doneOf('x'));
      for (const attempt of [1, 2, 3]) {
        await until(`attempt ${attempt} has failed`, () =>
          openIn(first.folder).some(({ state }) => state.kind === 'failed' && state.attempt === attempt),
        );
        if (attempt < 3) site.now += 10_000;
      }
      isFailing = false;
      const [open] = openIn(first.folder);
      await first.runAgain('post.own', open?.key ?? '');
      promise();
      await nextTurn();
      // The receiver looks for notes while it writes that the job runs.
      await first.noteAction('article.published', { path: 'none' } as never);
      await until('it is done', () => first.runs.includes('x') && isDone(first.folder)());
    };
    const moments = await killed(t, act, {}, () => isFailing);
    await check(t, moments, 2_000, (runs, { isPromised }) => !isPromised || isTold(runs, 'x'));
  },
);
