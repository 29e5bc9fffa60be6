import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import type { ArticleFile } from '../../../src/host/jobs/file-changes.js';
import { createJobs } from '../../../src/host/jobs/jobs.js';
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
