import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { ListedArticle } from '../../../src/host/articles/articles.js';
import type { ArticleFile } from '../../../src/host/jobs/file-changes.js';
import { createJobs } from '../../../src/host/jobs/jobs.js';
import { readNotes } from '../../../src/host/jobs/notes.js';
import { recorder } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const log = pino({ level: 'silent' });
const actions = ['deploy.done', 'git.committed', 'article.edited', 'article.removed', 'article.stateChanged'];
const owner = { plugin: 'post', log, actions, timeZone: 'UTC' };

/** A receiver's jobs in a folder, and the targets that its job was run for; of files, what happened to them. */
function start(
  folder: string,
  files: ReadonlyMap<string, ArticleFile> = new Map(),
  branch: ReadonlySet<string> = new Set(),
) {
  const runs: string[] = [];
  const clock = { now: Date.now() };
  const jobs = createJobs({ folder, log, now: () => clock.now });
  jobs.addJob(owner, 'announce', { on: 'deploy.done', run: ({ target }) => void runs.push(target) });
  jobs.addJob(owner, 'tell', { on: 'git.committed', run: ({ commit }) => void runs.push(commit) });
  for (const on of ['article.edited', 'article.removed', 'article.stateChanged'] as const)
    jobs.addJob(owner, on.replace('.', '-').toLowerCase(), {
      on,
      run: ({ path }) => void runs.push(`${on} ${path}`),
    });
  const note = (target: string) => jobs.noteAction('deploy.done', { target, ms: 1 });
  jobs.start({
    get: async () => undefined,
    ids: () => [],
    files: () => files.values(),
    file: (path) => files.get(path),
    hasCommit: async (commit) => branch.has(commit),
  });
  const { noteAction, noteFirst } = jobs;
  return { runs, clock, note, noteAction, noteFirst, close: () => jobs.close(60_000) };
}

const notesIn = (folder: string) =>
  fs.readdirSync(join(folder, 'noted')).filter((name) => name.endsWith('.json'));

// What a killed process leaves is what the folder holds at that moment: it is copied at each sync.
test.serial(
  'jobs: a receiver that is killed at any write forgets no event, and runs none more than twice',
  async (t) => {
    const [folder, copies] = [tempDir(t), tempDir(t)];
    const moments: { readonly copy: string; readonly isPromised: boolean; readonly runs: number }[] = [];
    let isPromised = false;
    const first = start(folder);
    const take = () => {
      const copy = join(copies, String(moments.length));
      fs.cpSync(folder, copy, { recursive: true });
      moments.push({ copy, isPromised, runs: first.runs.length });
      return '';
    };
    recorder.observe = take;
    await first.note('x');
    isPromised = true;
    take();
    await until('the event is done', () => notesIn(folder).length === 0);
    take();
    recorder.observe = () => '';
    await first.close();
    t.deepEqual(first.runs, ['x']);
    t.true(moments.length >= 7, `${moments.length} moments`);
    t.deepEqual([...new Set(moments.map(({ runs }) => runs))], [0, 1], 'before it ran, and after it');

    const check = async ({ copy, isPromised, runs: before }: (typeof moments)[number], n: number) => {
      const next = start(copy);
      await next.note('y');
      await until('the next event is done', () => next.runs.includes('y'));
      next.clock.now += 1_000;
      await until('all is done', () => notesIn(copy).length === 0);
      await next.close();
      const runs = before + next.runs.filter((target) => target === 'x').length;
      t.true(runs <= 2, `moment ${n}: ${runs} runs`);
      t.true(runs >= (isPromised ? 1 : 0), `moment ${n}: ${runs} runs`);
      t.is(next.runs.filter((target) => target === 'y').length, 1, `moment ${n}`);
    };
    await Promise.all(moments.map(check)); // each waits most of the time
  },
);

test.serial(
  'jobs: a receiver that is killed at any write loses no change of a file, and tells none more than twice',
  async (t) => {
    const [folder, copies] = [tempDir(t), tempDir(t)];
    const fileOf = (path: string) => ({ path, id: path, url: `https://a.example/${path}/`, version: '1' });
    const files = new Map<string, ArticleFile>(['a', 'b', 'c'].map((path) => [path, fileOf(path)]));
    const first = start(folder, files);
    await until('it leads', () => fs.existsSync(join(folder, 'articles.jsonl')));
    const moments: { readonly copy: string; readonly runs: readonly string[] }[] = [];
    const take = () => {
      const copy = join(copies, String(moments.length));
      fs.cpSync(folder, copy, { recursive: true });
      moments.push({ copy, runs: [...first.runs] });
      return '';
    };
    // From here on the files are as they will be: whenever the receiver is killed, jobs have to be told of it.
    files.set('a', { ...fileOf('a'), version: '2' });
    files.delete('b');
    files.set('c', { ...fileOf('c'), state: 'held' });
    take();
    recorder.observe = take;
    await first.noteAction('article.edited', fileOf('a'));
    await first.noteAction('article.removed', fileOf('b'));
    await first.noteAction('article.stateChanged', { ...fileOf('c'), state: 'held' });
    await until('all are done', () => first.runs.length >= 3 && notesIn(folder).length === 0);
    take();
    recorder.observe = () => '';
    await first.close();
    const expected = ['article.edited a', 'article.removed b', 'article.stateChanged c'];
    t.deepEqual(first.runs.toSorted(), expected);
    t.true(moments.length >= 7, `${moments.length} moments`);

    const check = async ({ copy, runs: before }: (typeof moments)[number], n: number) => {
      const next = start(copy, files);
      await next.note('y');
      await until('the next event is done', () => next.runs.includes('y'));
      next.clock.now += 1_000;
      await until('all is done', () => notesIn(copy).length === 0);
      await next.close();
      const runs = [...before, ...next.runs];
      for (const event of expected) {
        const times = runs.filter((run) => run === event).length;
        t.true(times === 1 || times === 2, `moment ${n}: ${event} ${times} times`);
      }
    };
    await Promise.all(moments.map(check));
  },
);

test.serial(
  'jobs: a receiver that is killed at any write tells each commit that a branch has, not more than twice, and no other',
  async (t) => {
    const [folder, copies] = [tempDir(t), tempDir(t)];
    const branch = new Set<string>();
    const first = start(folder, new Map(), branch);
    const moments: {
      readonly copy: string;
      readonly branch: ReadonlySet<string>;
      readonly runs: readonly string[];
    }[] = [];
    const take = () => {
      const copy = join(copies, String(moments.length));
      fs.cpSync(folder, copy, { recursive: true });
      moments.push({ copy, branch: new Set(branch), runs: [...first.runs] });
      return '';
    };
    await until('it leads', () => fs.existsSync(join(folder, 'lock')));
    recorder.observe = take;
    const commits = ['c1', 'c2'].map((commit) => ({ commit, path: 'a.md', subject: 'Publish: A' }));
    for (const commit of commits) await first.noteFirst('git.committed', commit);
    branch.add('c1'); // and c2 was made in vain
    take();
    for (const commit of commits.slice(0, 1)) await first.noteAction('git.committed', commit);
    first.clock.now += 1_000; // it may have been looked for before the branch had it
    await until('the commit is told', () => first.runs.length > 0);
    first.clock.now += 3_601_000;
    await until('the other is forgotten', () => notesIn(folder).length === 0);
    take();
    recorder.observe = () => '';
    await first.close();
    t.deepEqual(first.runs, ['c1']);
    t.true(moments.length >= 7, `${moments.length} moments`);

    const check = async ({ copy, branch, runs: before }: (typeof moments)[number], n: number) => {
      const next = start(copy, new Map(), branch);
      next.clock.now += 3_601_000;
      await next.note('y');
      await until('the next event is done', () => next.runs.includes('y'));
      next.clock.now += 1_000;
      await until('all is done', () => notesIn(copy).length === 0);
      await next.close();
      const runs = [...before, ...next.runs].filter((run) => run !== 'y');
      if (branch.has('c1')) t.true(runs.length === 1 || runs.length === 2, `moment ${n}: ${runs}`);
      t.true(
        runs.every((run) => branch.has(run)),
        `moment ${n}: ${runs}`,
      );
    };
    await Promise.all(moments.map(check));
  },
);

interface Killed {
  readonly folder: string;
  readonly now: number;
  readonly articles: ReadonlySet<string>;
  readonly runs: readonly string[];
  readonly isPromised: boolean;
}

/** A receiver's jobs on articles, also on those that were there before, and at each minute. */
function startAll(
  { folder, now, articles }: Pick<Killed, 'folder' | 'now' | 'articles'>,
  fails = () => false,
) {
  const runs: string[] = [];
  const clock = { now };
  const jobs = createJobs({ folder, log, now: () => clock.now });
  const all = { ...owner, actions: ['article.published', 'deploy.done'] };
  jobs.addJob(all, 'article', {
    on: 'article.published',
    since: 'ever',
    run: ({ article: { id } }) => void runs.push(id),
  });
  jobs.addJob(all, 'deploy', {
    on: 'deploy.done',
    run: ({ target }) => {
      if (target !== 'y' && fails()) throw new Error('no answer');
      runs.push(target);
    },
  });
  jobs.addCron(all, 'each-minute', { at: '* * * * *', run: () => void runs.push('minute') });
  jobs.start({
    get: async (id) => (articles.has(id) ? ({ id, revision: '1', date: '' } as ListedArticle) : undefined),
    ids: () => articles,
    files: () => [],
    file: () => undefined,
    hasCommit: async () => false,
  });
  return { ...jobs, runs, clock, folder };
}

const HALF_PAST = Date.parse('2026-03-01T12:00:30Z');

/** What the folder holds at each write of a receiver, until it has done what it is asked. */
async function killed(
  t: ExecutionContext,
  act: (first: ReturnType<typeof startAll>, articles: Set<string>, promise: () => void) => Promise<void>,
  fails?: () => boolean,
): Promise<Killed[]> {
  const [folder, copies] = [tempDir(t), tempDir(t)];
  const articles = new Set<string>(['old']);
  const moments: Killed[] = [];
  let isPromised = false;
  const clock = { now: HALF_PAST };
  let runs: readonly string[] = [];
  recorder.observe = () => {
    const copy = join(copies, String(moments.length));
    fs.cpSync(folder, copy, { recursive: true });
    moments.push({ folder: copy, now: clock.now, articles: new Set(articles), runs: [...runs], isPromised });
    return '';
  };
  const first = startAll({ folder, now: HALF_PAST, articles }, fails);
  runs = first.runs;
  Object.defineProperty(clock, 'now', { get: () => first.clock.now });
  await act(first, articles, () => {
    isPromised = true;
    recorder.observe();
  });
  recorder.observe();
  recorder.observe = () => '';
  await first.close(60_000);
  return moments;
}

/** What has run by the end, if another receiver goes on with what a killed one has left. */
async function runsAfter(moment: Killed, ms: number): Promise<string[]> {
  const next = startAll(moment);
  await next.noteAction('deploy.done', { target: 'y', ms: 1 });
  await until('the next event is done', () => next.runs.includes('y'));
  next.clock.now += ms;
  const isOpen = () =>
    readNotes(join(moment.folder, 'noted')).some(({ events }) =>
      events.some(({ jobs }) => Object.values(jobs).some(({ kind }) => kind !== 'failed')),
    );
  await until('all is done', () => !isOpen());
  await next.close(60_000);
  return [...moment.runs, ...next.runs];
}

const openIn = (folder: string) =>
  readNotes(join(folder, 'noted')).flatMap(({ events }) =>
    events.flatMap(({ key, jobs }) => Object.values(jobs).map((state) => ({ key, state }))),
  );

const times = (runs: readonly string[], one: string) => runs.filter((run) => run === one).length;

test.serial(
  'jobs: a receiver that is killed at any write loses no article, old or new, and runs none more than twice',
  async (t) => {
    const moments = await killed(t, async (first, articles) => {
      await until('the old one is done', () => first.runs.includes('old'));
      await first.noteArticle('article.published', { id: 'new', timestamp: '' });
      articles.add('new');
      recorder.observe();
      first.clock.now += 1_000;
      await until(
        'the new one is done',
        () => first.runs.includes('new') && notesIn(first.folder).length === 0,
      );
    });
    t.true(moments.length >= 8, `${moments.length} moments`);
    await Promise.all(
      moments.map(async (moment, n) => {
        const runs = await runsAfter(moment, 3_601_000);
        for (const id of moment.articles)
          t.true([1, 2].includes(times(runs, id)), `moment ${n}: ${id} ${times(runs, id)} times`);
        if (!moment.articles.has('new')) t.is(times(runs, 'new'), 0, `moment ${n}`);
      }),
    );
  },
);

test.serial('jobs: a receiver that is killed at any write misses no time of a cron', async (t) => {
  const moments = await killed(t, async (first) => {
    await until('the old one is done', () => first.runs.includes('old'));
    first.clock.now += 60_000;
    recorder.observe();
    await until(
      'the minute is done',
      () => first.runs.includes('minute') && notesIn(first.folder).length === 0,
    );
  });
  const come = moments.filter(({ now }) => now > HALF_PAST);
  t.true(come.length >= 4, `${come.length} moments`);
  await Promise.all(
    moments.map(async (moment, n) => {
      const runs = times(await runsAfter(moment, 1_000), 'minute');
      t.true(moment.now > HALF_PAST ? runs === 1 || runs === 2 : runs === 0, `moment ${n}: ${runs} times`);
    }),
  );
});

test.serial(
  'jobs: a receiver that is killed at any write does not forget that a person wants a job to be run again',
  async (t) => {
    let isFailing = true;
    const moments = await killed(
      t,
      async (first, _articles, promise) => {
        await first.noteAction('deploy.done', { target: 'x', ms: 1 });
        const states = () => openIn(first.folder).map(({ state }) => state);
        for (const attempt of [1, 2, 3]) {
          await until(`attempt ${attempt} has failed`, () =>
            states().some((state) => state.kind === 'failed' && state.attempt === attempt),
          );
          if (attempt < 3) first.clock.now += 10_000;
        }
        isFailing = false;
        const [open] = openIn(first.folder);
        await first.runAgain('post.deploy', open?.key ?? '');
        promise();
        await until('it is done', () => first.runs.includes('x') && notesIn(first.folder).length === 0);
      },
      () => isFailing,
    );
    const promised = moments.filter((moment) => moment.isPromised);
    t.true(promised.length >= 3, `${promised.length} moments`);
    await Promise.all(
      promised.map(async (moment, n) => {
        const runs = times(await runsAfter(moment, 2_000), 'x');
        t.true(runs === 1 || runs === 2, `moment ${n}: ${runs} times`);
      }),
    );
  },
);
