import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import type { PluginReport } from '../../../src/app/plugins/list-plugins.js';
import { runsTypeScript } from '../../../src/app/plugins/load-plugins.js';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPackages, withPlugins } from '../../support/with-plugins.js';

const PLUGIN = `export default { name: 'notes', version: '1.2.0',
  receiver(host) {
    host.addFilter('article.slug', (slug) => slug);
    host.addAction('article.published', () => {});
    host.addAction('article.published', () => { throw new Error('broken'); });
    host.routes((router) => router.get('/list', (context) => { context.body = []; }));
    host.job('post', { on: 'article.published', run() { throw new Error('no answer'); } });
    host.job('share', { on: 'article.live', run() {} });
    host.cron('nightly', { at: '0 3 * * *', run() {} });
  },
  pages(host) { host.addOutput({ path: 'notes.txt', render: () => '' }); },
};`;
const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };

test('plugins lists what plugins have, how often it ran and failed, and which job never runs', async (t) => {
  const dir = storeOnly(tempDir(t));
  const plugins = async (...args: string[]) =>
    (await runHere(['plugins', '--dir', dir, ...args], ENV)).stdout;
  t.is(await plugins(), 'no plugins; docs/plugins.md says how to write one\n');
  withPlugins(dir, { notes: PLUGIN });
  const fresh = (await plugins()).split('\n');
  t.deepEqual(
    fresh.map((line) => line.trimEnd()).filter((line) => line !== ''),
    [
      'notes 1.2.0 (plugins/notes.mjs)',
      '  filter  article.slug',
      '  action  article.published',
      '  action  article.published',
      '  job     notes.post on article.published',
      '  job     notes.share on article.live',
      '  cron    notes.nightly at 0 3 * * *',
      '  route   GET /-/notes/list',
      '  file    notes.txt',
    ],
  );

  const receiver = await startHere(t, { dir });
  const words = 'job notes.share does not run: article.live needs liveCheck in the config';
  t.true(receiver.log.some(({ msg }) => msg === words));
  await receiver.post('article.published', article());
  const hasFailed = () => receiver.log.some(({ msg, job }) => job === 'post' && /the job failed/.test(msg));
  await until('the job has failed', hasFailed);
  await receiver.close();
  const text = await plugins();
  const times = String.raw`median [\d.]+ ms, longest [\d.]+ ms`;
  t.regex(text, new RegExp(String.raw`^ {2}filter +article\.slug +once, ${times}$`, 'm'));
  t.regex(
    text,
    new RegExp(
      String.raw`^ {2}action +article\.published +once, ${times}\n {2}action +article\.published +once, 1 failed, ${times}$`,
      'm',
    ),
    'each handler of a hook has its own figures',
  );
  t.regex(text, /^ {2}job +notes\.post on article\.published +\w.*, \d failed, .*; 1 to try again$/m);
  const [report] = JSON.parse(await plugins('--json')) as PluginReport[];
  t.like(report, { name: 'notes', version: '1.2.0', routes: ['GET /-/notes/list'], outputs: ['notes.txt'] });
  t.like(report?.hooks[0], { kind: 'filter', name: 'article.slug', calls: 1, failures: 0 });
  t.like(report?.jobs[0]?.open[0], { event: 'article.published', state: { error: 'no answer' } });
  const { stdout } = await runHere(['doctor', '--dir', dir], ENV);
  t.true(stdout.includes(words), stdout);
});

test('a plugin has commands, which run without a receiver; what is no command of it is told in words', async (t) => {
  const dir = storeOnly(tempDir(t));
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const docs = fs.readFileSync(join(root, 'docs/plugins.md'), 'utf8');
  const [, code = ''] = /```js\n(\/\/ plugins\/notes\.mjs\n[\s\S]*?)```/.exec(docs) ?? [];
  withPackages(dir);
  const other = `export default { name: 'other', version: '1.0.0', secrets: ['OTHER_TOKEN'], commands: [
      { name: 'fail', description: 'fails', run() { throw new Error('no luck'); } }] };`;
  withPlugins(dir, { notes: code, other });
  const run = (...words: string[]) => runHere([...words, '--dir', dir], ENV);
  t.like(await run('notes:add', 'water', 'the', 'bees'), { code: 0, stdout: '1 notes\n' });
  const help = await run('notes:add', '--help');
  t.is(help.code, 0);
  t.regex(help.stdout, /^Usage: pressmark notes:add .*\n\nkeep a note; .*\n\nOptions:\n {2}-t, --twice\n/);
  for (const [words, said] of [
    [['notes:ad', 'x'], 'no plugin has the command "notes:ad"; did you mean notes:add?'],
    [['notes:add', '--thrice'], "notes:add: Unknown option '--thrice'"],
  ] as const) {
    const { code, stderr } = await run(...words);
    t.is(code, 2, stderr);
    t.true(stderr.startsWith(`pressmark: ${said}`), stderr);
  }
  t.regex((await run('other:fail')).stderr, /needs OTHER_TOKEN, which is not set/);
  const failed = await runHere(['other:fail', '--dir', dir], { ...ENV, OTHER_TOKEN: 'a-long-token' });
  t.is(failed.code, 1);
  t.regex(failed.stderr, /^pressmark: .*no luck/);
  const { stdout } = await runHere(['plugins', '--dir', dir], { ...ENV, OTHER_TOKEN: 'a-long-token' });
  t.regex(stdout, /^ {2}command {2}notes:add {2}keep a note; --twice keeps it twice$/m);
});

test('what plugin new --ts writes passes its test where Node.js runs TypeScript; elsewhere a line says what does', async (t) => {
  const dir = tempDir(t);
  withPackages(dir);
  const { stdout } = await runHere(['plugin', 'new', 'moss', '--ts', '--dir', dir]);
  t.regex(stdout, /^Run its test: {3}node --test tests\/moss\.test\.mts$/m);
  t.is(/does not run TypeScript: use 22\.18 or newer, or compile it/.test(stdout), !runsTypeScript());
  if (!runsTypeScript()) return;
  const args = ['--test', '--test-reporter=tap', 'tests/moss.test.mts'];
  const ran = await promisify(execFile)(process.execPath, args, { cwd: dir });
  t.regex(ran.stdout, /^# pass 1$/m);
});
