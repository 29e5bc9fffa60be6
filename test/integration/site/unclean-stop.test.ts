import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { openBuildState, savedOutputDigest } from '../../../src/site/builder/state.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gatheringLog, put, testSite } from './test-site.js';

const isThere = (stateDir: string, name: string) => fs.existsSync(join(stateDir, name));

test('the state names a file only once it is on the disk, and the marker stays until then', async (t) => {
  const site = testSite(t);
  site.write('a');
  const { output } = await site.builder.build('all');
  const { outputDir, stateDir } = site.options;
  t.true(isThere(stateDir, 'site.building'));
  t.is(savedOutputDigest(stateDir, outputDir), '', 'what is there may be torn, and is not deployed');
  t.false(isThere(stateDir, 'site.json'));
  await site.builder.close();
  t.false(isThere(stateDir, 'site.building'));
  t.is(savedOutputDigest(stateDir, outputDir), output);
  const { files } = JSON.parse(fs.readFileSync(join(stateDir, 'site.json'), 'utf8'));
  t.deepEqual(files.map(([file]: [string]) => file).sort(), Object.keys(site.output()).sort());
});

test('after an unclean stop torn pages are built again, and a torn state is as good as none', async (t) => {
  const site = testSite(t);
  const left = { a: '', b: '\0'.repeat(400), c: '<!doctype html><html lang="en"><he' };
  for (const slug of [...Object.keys(left), 'd']) site.write(slug);
  await site.builder.build('all');
  await site.builder.close();
  const before = site.output();
  const { outputDir, stateDir } = site.options;
  // What a process that is killed in the middle of a build leaves behind.
  put(join(stateDir, 'site.building'), '');
  for (const [slug, text] of Object.entries(left)) put(join(outputDir, `articles/${slug}/index.html`), text);
  const next = testSite(t, { dir: site.dir });
  t.is((await next.builder.build('all')).written, 3);
  t.deepEqual(site.output(), before);
  await next.builder.close();

  const state = join(stateDir, 'site.json');
  fs.truncateSync(state, Math.floor(fs.statSync(state).size / 2));
  t.is((await testSite(t, { dir: site.dir }).builder.build('all')).failed, 0);
  t.deepEqual(site.output(), before);
});

test('a file that a killed build has replaced by a folder of its name is no failure of the next builds', async (t) => {
  const site = testSite(t);
  await site.builder.build('all');
  await site.builder.close();
  const { staticDir, stateDir } = site.options;
  const state = join(stateDir, 'site.json');
  const saved = fs.readFileSync(state, 'utf8');
  put(join(staticDir, 'robots.txt/own.txt'), 'the owner’s');
  const killed = testSite(t, { dir: site.dir });
  t.is((await killed.builder.build('all')).failed, 0);
  await killed.builder.close();
  fs.writeFileSync(state, saved);
  put(join(stateDir, 'site.building'), '"robots.txt/own.txt"\n');
  const next = testSite(t, { dir: site.dir });
  t.is((await next.builder.build('all')).failed, 0);
  t.true(next.has('robots.txt/own.txt'));
});

/** Puts a shell script in the place of `sync` until the test ends. */
function replaceSync(t: ExecutionContext, script: string): void {
  const programs = tempDir(t);
  put(join(programs, 'sync'), `#!/bin/sh\n${script}\n`);
  fs.chmodSync(join(programs, 'sync'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${programs}:${PATH}`;
  t.teardown(() => Object.assign(process.env, { PATH }));
}

test.serial('a builder that is closed while it saves waits until the files are on the disk', async (t) => {
  const dir = tempDir(t);
  const [isAsked, isSynced] = [join(dir, 'asked'), join(dir, 'synced')];
  // Stands in for a disk that takes its time.
  replaceSync(t, `echo >> '${isAsked}'\nuntil test -e '${isSynced}'; do sleep 0.01; done`);
  t.teardown(() => put(isSynced, ''));
  const site = testSite(t);
  const { stateDir } = site.options;
  await site.builder.build('all');
  await until('the save has begun', () => fs.existsSync(isAsked));
  let isClosed = false;
  const closed = site.builder.close().then(() => {
    isClosed = true;
  });
  await setTimeout(100);
  t.false(isClosed);
  t.true(isThere(stateDir, 'site.building'));
  put(isSynced, '');
  await closed;
  t.false(isThere(stateDir, 'site.building'));
});

test.serial(
  'a state whose files do not reach the disk in time is not saved, the log says so, and the next save brings them there',
  async (t) => {
    const [stateDir, outputDir] = [tempDir(t), fs.realpathSync(tempDir(t))];
    replaceSync(t, 'exit 1'); // then files are synced one by one
    const { timeout } = AbortSignal;
    t.teardown(() => Object.assign(AbortSignal, { timeout }));
    const logged: string[] = [];
    const { recordChange, save } = openBuildState(stateDir, outputDir, gatheringLog(logged));
    const writeAndSave = async (name: string) => {
      await recordChange(name, true);
      put(join(outputDir, name), name);
      await save(
        () => ({ parseKey: '', articles: [], texts: [], files: [] }),
        () => true,
      );
    };
    Object.assign(AbortSignal, { timeout: () => AbortSignal.abort() });
    await writeAndSave('a.html');
    t.deepEqual([isThere(stateDir, 'site.json'), isThere(stateDir, 'site.building')], [false, true]);
    t.regex(logged.join(''), /the disk is too slow/);
    Object.assign(AbortSignal, { timeout });
    await writeAndSave('b.html');
    t.false(isThere(stateDir, 'site.building'));
    const synced = syncs.map(({ path }) => relative(outputDir, path));
    t.true(
      ['a.html', 'b.html'].every((name) => synced.includes(name)),
      String(synced),
    );
  },
);

test.serial('the marker names a new file before the file is in the output', async (t) => {
  const site = testSite(t);
  const { outputDir, stateDir } = site.options;
  const { renameSync } = fs;
  t.teardown(() => Object.assign(fs, { renameSync }));
  const isNamed = new Map<string, boolean>();
  const noting = (from: string, to: string) => {
    const file = relative(outputDir, to);
    const isWritten = () =>
      fs.readFileSync(join(stateDir, 'site.building'), 'utf8').includes(JSON.stringify(file));
    if (!file.startsWith('..')) isNamed.set(file, isWritten());
    renameSync(from, to);
  };
  Object.assign(fs, { renameSync: noting });
  site.write('a');
  await site.builder.build('all');
  t.deepEqual([...isNamed.keys()].sort(), Object.keys(site.output()).sort());
  t.deepEqual(
    [...isNamed].filter(([, is]) => !is),
    [],
  );
});

test('only one process builds a site; the next one does when that one has ended', async (t) => {
  const site = testSite(t);
  site.write('a');
  const one = createBuilder(site.options);
  const two = createBuilder({ ...site.options, lock: { longestMs: 50 } });
  await one.build('all');
  await t.throwsAsync(two.build('all'), {
    code: 'LOCK_TIMEOUT',
    message: /another process, such as a running receiver, builds this site/,
  });
  await one.close();
  fs.rmSync(join(site.options.outputDir, 'index.html'));
  t.is((await two.build('all')).written, 1);
  await two.close();
});
