import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { createJobs } from '../../../src/host/jobs/jobs.js';
import { recorder } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const log = pino({ level: 'silent' });
const owner = { plugin: 'post', log, actions: ['deploy.done'], timeZone: 'UTC' };

/** A receiver's jobs in a folder, and the targets that its job was run for. */
function start(folder: string) {
  const runs: string[] = [];
  const clock = { now: Date.now() };
  const jobs = createJobs({ folder, log, now: () => clock.now });
  jobs.addJob(owner, 'announce', { on: 'deploy.done', run: ({ target }) => void runs.push(target) });
  const note = (target: string) => jobs.noteAction('deploy.done', { target, ms: 1 });
  jobs.start({ get: async () => undefined, ids: () => [] });
  return { runs, clock, note, close: () => jobs.close(60_000) };
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

    for (const [n, { copy, isPromised, runs: before }] of moments.entries()) {
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
    }
  },
);
