import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { openBuildState, savedOutputDigest } from '../../../src/site/builder/state.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gatheringLog, put, testSite } from './test-site.js';

test('after an unclean stop pages of which nothing, zeros or a part is left are built again', async (t) => {
  const site = testSite(t);
  const left = { a: '', b: '\0'.repeat(400), c: '<!doctype html><html lang="en"><he' };
  for (const slug of [...Object.keys(left), 'd']) site.write(slug);
  await site.builder.build('all');
  await site.builder.close();
  const before = site.output();
  // What a process that is killed in the middle of a build leaves behind.
  put(join(site.options.stateDir, 'site.building'), '');
  for (const [slug, text] of Object.entries(left))
    put(join(site.options.outputDir, `articles/${slug}/index.html`), text);
  t.is((await testSite(t, { dir: site.dir }).builder.build('all')).written, 3);
  t.deepEqual(site.output(), before);
});

test('a torn state is as good as none', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  await site.builder.close();
  const before = site.output();
  const path = join(site.options.stateDir, 'site.json');
  fs.truncateSync(path, Math.floor(fs.statSync(path).size / 2));
  t.is((await testSite(t, { dir: site.dir }).builder.build('all')).failed, 0);
  t.deepEqual(site.output(), before);
});

test('the state names a file only once it is on the disk, and the marker stays until then', async (t) => {
  const site = testSite(t);
  site.write('a');
  const { output } = await site.builder.build('all');
  const marker = join(site.options.stateDir, 'site.building');
  t.true(fs.existsSync(marker));
  t.is(savedOutputDigest(site.options.stateDir), '', 'what is there may be torn, and is not deployed');
  t.false(fs.existsSync(join(site.options.stateDir, 'site.json')));
  await site.builder.close();
  t.false(fs.existsSync(marker));
  t.is(savedOutputDigest(site.options.stateDir), output);
  const { files } = JSON.parse(fs.readFileSync(join(site.options.stateDir, 'site.json'), 'utf8'));
  t.deepEqual(files.map(([file]: [string]) => file).sort(), Object.keys(site.output()).sort());
});

test.serial('a builder that is closed while it saves waits until the files are on the disk', async (t) => {
  const programs = tempDir(t);
  const [isAsked, isSynced] = [join(programs, 'asked'), join(programs, 'synced')];
  // Stands in for a disk that takes its time.
  put(
    join(programs, 'sync'),
    `#!/bin/sh\necho >> '${isAsked}'\nuntil test -e '${isSynced}'; do sleep 0.01; done\n`,
  );
  fs.chmodSync(join(programs, 'sync'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${programs}:${PATH}`;
  t.teardown(() => {
    process.env.PATH = PATH;
    put(isSynced, '');
  });
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  await until('the save has begun', () => fs.existsSync(isAsked));
  let isClosed = false;
  const closed = site.builder.close().then(() => {
    isClosed = true;
  });
  await setTimeout(300);
  t.false(isClosed);
  t.true(fs.existsSync(join(site.options.stateDir, 'site.building')));
  put(isSynced, '');
  await closed;
  t.false(fs.existsSync(join(site.options.stateDir, 'site.building')));
});

test.serial(
  'a state whose files do not reach the disk in time is not saved, and the log says so',
  async (t) => {
    const site = testSite(t);
    site.write('a');
    await site.builder.build('all');
    const { timeout } = AbortSignal;
    t.teardown(() => Object.assign(AbortSignal, { timeout }));
    Object.assign(AbortSignal, { timeout: () => AbortSignal.abort() });
    await site.builder.close();
    const isThere = (name: string) => fs.existsSync(join(site.options.stateDir, name));
    t.deepEqual([isThere('site.json'), isThere('site.building')], [false, true]);
    t.regex(site.logged.join(''), /the disk is too slow/);
  },
);

test.serial('what a save could not bring to the disk, the next one does', async (t) => {
  const [programs, stateDir, outputDir] = [tempDir(t), tempDir(t), fs.realpathSync(tempDir(t))];
  // Files are synced one by one where `sync` cannot do it.
  put(join(programs, 'sync'), '#!/bin/sh\nexit 1\n');
  fs.chmodSync(join(programs, 'sync'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${programs}:${PATH}`;
  const { timeout } = AbortSignal;
  t.teardown(() => {
    process.env.PATH = PATH;
    Object.assign(AbortSignal, { timeout });
  });
  const { begin, save } = openBuildState(stateDir, outputDir, gatheringLog([]));
  const writeAndSave = async (name: string) => {
    await begin(name, true);
    put(join(outputDir, name), name);
    await save(
      () => ({ parseKey: '', articles: [], texts: [], files: [] }),
      () => true,
    );
  };
  Object.assign(AbortSignal, { timeout: () => AbortSignal.abort() });
  await writeAndSave('a.html');
  Object.assign(AbortSignal, { timeout });
  await writeAndSave('b.html');
  t.false(fs.existsSync(join(stateDir, 'site.building')));
  for (const name of ['a.html', 'b.html'])
    t.true(
      syncs.some(({ path }) => path === join(outputDir, name)),
      name,
    );
});

test.serial('the marker names a new file before the file is in the output', async (t) => {
  const site = testSite(t);
  const { outputDir, stateDir } = site.options;
  const { renameSync } = fs;
  t.teardown(() => Object.assign(fs, { renameSync }));
  const isNamed = new Map<string, boolean>();
  const noting = (from: string, to: string) => {
    const marker = join(stateDir, 'site.building');
    const text = fs.existsSync(marker) ? fs.readFileSync(marker, 'utf8') : '';
    const file = relative(outputDir, to);
    if (!file.startsWith('..')) isNamed.set(file, text.includes(JSON.stringify(file)));
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
  const { outputDir } = site.options;
  const [one, two] = [
    createBuilder(site.options),
    createBuilder({ ...site.options, lock: { longestMs: 50 } }),
  ];
  await one.build('all');
  await t.throwsAsync(two.build('all'), {
    code: 'LOCK_TIMEOUT',
    message: /another process builds this site/,
  });
  await one.close();
  fs.rmSync(join(outputDir, 'index.html'));
  t.is((await two.build('all')).written, 1);
  await two.close();
});
