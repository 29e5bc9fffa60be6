import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { patternLayout } from '../../../../src/generators/layout.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { contentFolder } from '../../../../src/store/catalog/content-folder.js';
import { type ContentChange, refresh, scan } from '../../../../src/store/catalog/scan.js';
import { watchContent } from '../../../../src/store/watch/watch.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test.serial('files and folders that come, change, move and go are all asked about', async (t) => {
  const root = tempDir(t);
  fs.mkdirSync(join(root, 'old'));
  fs.writeFileSync(join(root, 'old', 'a.md'), 'a');
  const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const seen = new Set<string>();
  const catalog = createCatalog();
  const note = (changes: readonly ContentChange[]) => {
    for (const { path } of changes) seen.add(path);
  };
  const readAgain = async (paths: Iterable<string>) => {
    for (const path of paths) note(await refresh(content, catalog, path, new Map()));
  };
  const compareFolder = async () => note((await scan(content, catalog)).changes);
  await compareFolder();
  const log = pino({ level: 'silent' });
  const watcher = watchContent({ content, readAgain, compareFolder, log });
  t.teardown(() => watcher.close());
  const asked = async (path: string) => {
    await until(`${path} is asked about`, () => seen.has(path));
    t.true(seen.delete(path));
    seen.clear();
  };

  fs.writeFileSync(join(root, 'old', 'a.md'), 'changed');
  await asked('old/a.md');
  fs.mkdirSync(join(root, 'new', 'deep'), { recursive: true });
  fs.writeFileSync(join(root, 'new', 'deep', 'b.md'), 'b');
  await asked('new/deep/b.md');
  fs.renameSync(join(root, 'old'), join(root, '.gone'));
  await asked('old/a.md');
  fs.renameSync(join(root, '.gone'), join(root, 'back'));
  await asked('back/a.md');
  fs.writeFileSync(join(root, 'back', 'c.md'), 'c');
  await asked('back/c.md');
  fs.rmSync(join(root, 'new'), { recursive: true });
  await asked('new/deep/b.md');
});

/** A watcher of a folder, and what it has asked for. */
function watched(t: ExecutionContext, root: string) {
  const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const paths: string[] = [];
  const asked = { paths, comparisons: 0 };
  const watcher = watchContent({
    content,
    readAgain: async (some) => void paths.push(...some),
    compareFolder: async () => void asked.comparisons++,
    log: pino({ level: 'silent' }),
  });
  t.teardown(() => watcher.close());
  return asked;
}

test.serial('a content folder that is moved away and back is watched again', async (t) => {
  const root = join(tempDir(t), 'content');
  fs.mkdirSync(root);
  const asked = watched(t, root);
  await until('all files are compared at the start', () => asked.comparisons === 1);
  fs.renameSync(root, `${root}.away`);
  await until('all files are compared', () => asked.comparisons > 1);
  const before = asked.comparisons;
  fs.renameSync(`${root}.away`, root);
  await until('all files are compared again', () => asked.comparisons > before);
  // That comparison may be one that was asked for while the folder was away, and the folder may not be watched yet.
  let saves = 0;
  await until('a file is looked at', () => {
    fs.writeFileSync(join(root, 'a.md'), `${++saves}`);
    return asked.paths.includes('a.md');
  });
  t.pass();
});

test.serial(
  'where files cannot be looked at, that is reported once and tried again later each time',
  async (t) => {
    const root = tempDir(t);
    const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const times: number[] = [];
    let isShort = true;
    const readAgain = async () => {
      times.push(performance.now());
      if (isShort) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    };
    const watcher = watchContent({ content, readAgain, compareFolder: async () => readAgain(), log });
    t.teardown(() => watcher.close());
    fs.writeFileSync(join(root, 'a.md'), 'a');
    await until('it was tried again and again', () => times.length >= 5);
    isShort = false;
    t.true((times[4] ?? 0) - (times[3] ?? 0) > 300, 'the eightfold time');
    await until('it works again', () => lines.length >= 2);
    t.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [40, 'changed files could not be looked at; it is tried again'],
        [30, 'changed files can be looked at again'],
      ],
    );
  },
);

test.serial('where a folder cannot be watched, all files are compared again and again', async (t) => {
  const root = tempDir(t);
  fs.mkdirSync(join(root, 'deep'));
  const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
  const { watch } = fs;
  const short = (path: string, ...rest: unknown[]): unknown => {
    if (path.endsWith('deep')) throw Object.assign(new Error('no watches are left'), { code: 'ENOSPC' });
    return Reflect.apply(watch, fs, [path, ...rest]);
  };
  Object.assign(fs, { watch: short });
  t.teardown(() => Object.assign(fs, { watch }));
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  let scans = 0;
  const compareFolder = async () => void scans++;
  const watcher = watchContent({
    content,
    readAgain: async () => undefined,
    compareFolder,
    log,
    scanEveryMs: 5,
  });
  t.teardown(() => watcher.close());
  await until('it was compared three times', () => scans >= 3);
  t.deepEqual(lines, [
    'a part of the content folder cannot be watched; all files are compared every 30 seconds',
  ]);
});

test.serial(
  'where the content folder itself cannot be watched, it is not compared each second',
  async (t) => {
    const root = tempDir(t);
    const content = contentFolder(root, patternLayout('https://garden.example', ':slug.md', '/:slug/'));
    const { watch } = fs;
    let attempts = 0;
    const short = (): never => {
      attempts++;
      throw Object.assign(new Error('no watches are left'), { code: 'ENOSPC' });
    };
    Object.assign(fs, { watch: short });
    t.teardown(() => Object.assign(fs, { watch }));
    const watcher = watchContent({
      content,
      readAgain: async () => undefined,
      compareFolder: async () => undefined,
      log: pino({ level: 'silent' }),
    });
    t.teardown(() => watcher.close());
    await setTimeout(1_500);
    t.is(attempts, 1);
  },
);
